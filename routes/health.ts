import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { HealthSchema, LiveSchema, ReadySchema, ServingSchema } from '../schemas/health.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { drain, health } = app

  app.get('/health', { schema: HealthSchema, config: { quiet: true } }, async function getHealth (_request, reply) {
    const report = await health.report()
    return reply.code(report.status === 'healthy' ? 200 : 503).send(report)
  })

  app.get('/health/live', { schema: LiveSchema, config: { quiet: true } }, async function getLive () {
    return { status: 'live' }
  })

  app.get('/health/ready', { schema: ReadySchema, config: { quiet: true } }, async function getReady (_request, reply) {
    if (drain.begun) return reply.code(503).send({ status: 'draining' })
    const reason = await health.unreadyReason()
    if (reason) return reply.code(503).send({ status: 'not_ready', reason })
    const missing = await health.missing()
    return { status: 'ready' as const, ...(missing.length > 0 && { missing }) }
  })

  app.get('/health/serving', {
    schema: ServingSchema,
    config: { quiet: true },
  }, async function getServing (_request, reply) {
    return drain.begun ? reply.code(503).send({ status: 'draining' }) : { status: 'serving' }
  })
}

export default routes
