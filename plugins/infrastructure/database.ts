import fastifyPostgres from '@fastify/postgres'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import { serviceConnection } from '../../src/database/connection.ts'
import { createCheck } from '../../src/observability/health-check.ts'
import { isOutage } from '../../src/database/outage.ts'
import { Unavailable } from '../../src/errors.ts'

declare module 'fastify' {
  interface FastifyInstance { database: ReturnType<typeof createDatabase> }
}

/** Runs queries: the pool, or the connection of a transaction. */
export interface Queryable {
  query<R extends QueryResultRow> (query: string | QueryConfig, values?: unknown[]): Promise<QueryResult<R>>
}

const PING_TIMEOUT = 1_000

function createDatabase (app: FastifyInstance) {
  const { config, log, pg: { pool }, tracing } = app
  const prepares = config.DATABASE_PREPARE === 'on'
  let readOnly = false

  /** Without its name, PostgreSQL does not keep the statement for the next time. */
  const unnamed = (query: string | QueryConfig) => typeof query === 'string' ? query : { ...query, name: undefined }
  const traced = (client: Queryable): Queryable => ({
    query: (query, values) => tracing.query(query, () => client.query(prepares ? query : unnamed(query), values)),
  })
  const { query } = traced(pool as Queryable)

  async function ping () {
    const text = "SELECT current_setting('transaction_read_only') = 'on' AS now"
    const { rows } = await pool.query({ text, query_timeout: PING_TIMEOUT } as QueryConfig)
    if (rows[0].now === readOnly) return
    readOnly = rows[0].now
    if (readOnly) log.warn('PostgreSQL is read-only: sign-in, refresh, sign-out and registration fail')
    else log.info('PostgreSQL accepts writes again')
  }

  return {
    query<R extends QueryResultRow> (text: string | QueryConfig, values?: unknown[]): Promise<QueryResult<R>> {
      return query<R>(text, values).catch(rethrow)
    },

    /** Runs `work` in a transaction. Keep hashing, mail and HTTP calls outside: they would hold a connection. */
    async transact<T> (work: (client: Queryable) => Promise<T>): Promise<T> {
      const client = await pool.connect().catch(rethrow)
      try {
        await client.query('BEGIN')
        const result = await work(traced(client as Queryable))
        await client.query('COMMIT')
        client.release()
        return result
      } catch (error) {
        await rollBack(client, error)
        return rethrow(error)
      }
    },

    /** `ok` if PostgreSQL answers. At most one query a second. */
    check: createCheck(ping),

    /** Whether PostgreSQL refused writes when it was last checked, as the old primary does after a failover. */
    get isReadOnly () { return readOnly },
  }
}

/** A connection that is broken, or may still run a query that timed out, does not go back to the pool. */
async function rollBack (client: PoolClient, error: unknown) {
  if (isOutage(error)) return client.release(true)
  await client.query('ROLLBACK').then(() => client.release(), () => client.release(true))
}

/** Turns an outage into a 503. */
function rethrow (error: unknown): never {
  throw isOutage(error) ? new Unavailable(error) : error
}

function meter ({ metrics, database, pg: { pool }, config }: FastifyInstance) {
  const isUp = async () => await database.check() === 'ok'
  metrics.gauge('gatehouse_database_up', 'Whether PostgreSQL answers (1 or 0)', async () => Number(await isUp()))
  metrics.gauge(
    'gatehouse_database_writable',
    'Whether PostgreSQL answers and accepts writes (1 or 0)',
    async () => Number(await isUp() && !database.isReadOnly)
  )
  metrics.gauge('gatehouse_database_connections', 'Open connections to PostgreSQL', () => pool.totalCount)
  metrics.gauge('gatehouse_database_connections_idle', 'Idle connections to PostgreSQL', () => pool.idleCount)
  metrics.gauge(
    'gatehouse_database_connections_max',
    'Maximum number of connections to PostgreSQL',
    () => config.DATABASE_POOL_MAX
  )
  metrics.gauge('gatehouse_database_waiting', 'Queries that wait for a connection', () => pool.waitingCount)
}

export default fp(async function (app) {
  await app.register(fastifyPostgres, {
    ...serviceConnection(app.config),
    application_name: 'gatehouse',
    max: app.config.DATABASE_POOL_MAX,
  })
  // Without these listeners, losing a connection (idle, or between two queries of a transaction)
  // would end the process.
  let closing = false
  app.addHook('preClose', async () => { closing = true })
  app.pg.pool.on('error', err => closing || app.log.warn({ err }, 'lost a database connection'))
  app.pg.pool.on('connect', client => client.on('error', () => {}))
  app.decorate('database', createDatabase(app))
  meter(app)
}, { name: 'database', dependencies: ['metrics', 'tracing'] })
