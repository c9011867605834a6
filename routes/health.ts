import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { HealthSchema, LiveSchema, ReadySchema } from '../schemas/health.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { drain, health } = app

  app.get('/health', { schema: HealthSchema }, async function getHealth (_request, reply) {
    const report = await health.report()
    return reply.code(report.status === 'healthy' ? 200 : 503).send(report)
  })

  app.get('/health/live', { schema: LiveSchema }, async function getLive () {
    return { status: 'live' }
  })

  app.get('/health/ready', { schema: ReadySchema }, async function getReady (_request, reply) {
    return drain.begun ? reply.code(503).send({ status: 'draining' }) : { status: 'ready' }
  })
}

export default routes
