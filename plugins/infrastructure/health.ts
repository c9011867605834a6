import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Health } from '../../schemas/health.ts'
import { createCheck } from '../../src/observability/health-check.ts'

declare module 'fastify' {
  interface FastifyInstance { health: ReturnType<typeof createHealth> }
}

function createHealth (app: FastifyInstance) {
  const { database, jobs, revocations } = app
  const checkCache = createCheck(app.counters.ping)

  return {
    async report (): Promise<Health> {
      const [records, cache] = await Promise.all([database.check(), checkCache()])
      return {
        status: records === 'ok' && cache === 'ok' ? 'healthy' : 'unhealthy',
        checks: { server: 'ok', database: records, cache },
        timestamp: new Date().toISOString(),
      }
    },

    /** Why users cannot sign in, if so. Without Redis they can: each instance counts in memory. */
    async unreadyReason (): Promise<string | undefined> {
      if (await database.check() !== 'ok') return 'PostgreSQL does not respond.'
      if (database.isReadOnly) return 'PostgreSQL is read-only.'
      if (!revocations.isReady()) return 'The ended sessions are not known.'
      return jobs.isConnected ? undefined : 'The job queue is not connected to PostgreSQL.'
    },

    /** What is not connected, although users can sign in. */
    async missing (): Promise<string[]> {
      return [
        revocations.isUp() ? [] : 'ended sessions',
        jobs.isUp() ? [] : 'job queue',
        await checkCache() === 'ok' ? [] : 'Redis',
      ].flat()
    },
  }
}

export default fp(async function (app) {
  app.decorate('health', createHealth(app))
}, { name: 'health', dependencies: ['database', 'counters', 'jobs', 'revocations'] })
