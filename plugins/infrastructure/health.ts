import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Health } from '../../schemas/health.ts'
import { createCheck } from '../../src/observability/health-check.ts'

declare module 'fastify' {
  interface FastifyInstance { health: ReturnType<typeof createHealth> }
}

function createHealth (app: FastifyInstance) {
  const checkDatabase = createCheck(app.database.ping)
  const checkCache = createCheck(app.counters.ping)

  return {
    async report (): Promise<Health> {
      const [connection, cache] = await Promise.all([checkDatabase(), checkCache()])
      // Registration, and sign-in from a new browser, need the job queue.
      const database = app.jobs.failing && connection === 'ok' ? 'error' : connection
      return {
        status: database === 'ok' && cache === 'ok' ? 'healthy' : 'unhealthy',
        checks: { server: 'ok', database, cache },
        timestamp: new Date().toISOString(),
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('health', createHealth(app))
}, { name: 'health', dependencies: ['database', 'counters', 'jobs'] })
