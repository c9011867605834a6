import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Health } from '../../schemas/health.ts'
import { createCheck, type CheckValue } from '../../src/observability/health-check.ts'

declare module 'fastify' {
  interface FastifyInstance { health: ReturnType<typeof createHealth> }
}

export interface Report {
  at: number
  database: CheckValue
  cache: CheckValue
  isHealthy: boolean
  /** The Health of schemas/health.ts. */
  json: string
}

function createHealth (app: FastifyInstance) {
  const { database, jobs, revocations } = app
  const checkCache = createCheck(app.counters.ping)

  let last: Report | undefined

  /** Requests of the same millisecond share a report. */
  function reportOf (database: CheckValue, cache: CheckValue): Report {
    const at = Date.now()
    if (last?.at === at && last.database === database && last.cache === cache) return last
    last = { at, database, cache, ...describe(database, cache, at) }
    return last
  }

  return {
    /** Recent results need no promise. */
    report (): Report | Promise<Report> {
      const checks = [database.check(), checkCache()] as const
      const [records, cache] = checks
      if (typeof records === 'string' && typeof cache === 'string') return reportOf(records, cache)
      return Promise.all(checks).then(values => reportOf(...values))
    },

    /** Why users cannot sign in, if so. Without Redis they can: each instance counts in memory. */
    async unreadyReason (): Promise<string | undefined> {
      if (await database.check() !== 'ok') return 'PostgreSQL does not respond.'
      if (database.isReadOnly) return 'PostgreSQL is read-only.'
      if (!revocations.isReady()) return 'The ended sessions are not known.'
      return jobs.isConnected ? undefined : 'The job queue is not connected to PostgreSQL.'
    },
  }
}

function describe (database: CheckValue, cache: CheckValue, at: number): Pick<Report, 'isHealthy' | 'json'> {
  const isHealthy = database === 'ok' && cache === 'ok'
  const health: Health = {
    status: isHealthy ? 'healthy' : 'unhealthy',
    checks: { server: 'ok', database, cache },
    timestamp: new Date(at).toISOString(),
  }
  return { isHealthy, json: JSON.stringify(health) }
}

export default fp(async function (app) {
  app.decorate('health', createHealth(app))
}, { name: 'health', dependencies: ['database', 'counters', 'jobs', 'revocations'] })
