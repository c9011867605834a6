import fastifyPostgres from '@fastify/postgres'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import { createCheck } from '../../src/observability/health-check.ts'
import { isOutage } from '../../src/database/outage.ts'
import { Unavailable } from '../../src/errors.ts'

declare module 'fastify' {
  interface FastifyInstance { database: ReturnType<typeof createDatabase> }
}

/** What runs a query: the pool, or the one connection of a transaction. */
export interface Queryable {
  query<R extends QueryResultRow> (query: string | QueryConfig, values?: unknown[]): Promise<QueryResult<R>>
}

const CONNECT_TIMEOUT = 2_000
const STATEMENT_TIMEOUT = 5_000
const PING_TIMEOUT = 1_000

function createDatabase (app: FastifyInstance) {
  const { pg: { pool }, tracing } = app

  const traced = (client: Queryable): Queryable => ({ query: (query, values) => tracing.query(query, () => client.query(query, values)) })
  const { query } = traced(pool as Queryable)

  return {
    query<R extends QueryResultRow> (text: string | QueryConfig, values?: unknown[]): Promise<QueryResult<R>> {
      return query<R>(text, values).catch(refuseOutage)
    },

    /** All or nothing. Hashing, mail and HTTP calls stay outside: a connection is not held while they last. */
    async transact<T> (work: (client: Queryable) => Promise<T>): Promise<T> {
      const client = await pool.connect().catch(refuseOutage)
      try {
        await client.query('BEGIN')
        const result = await work(traced(client as Queryable))
        await client.query('COMMIT')
        client.release()
        return result
      } catch (error) {
        await rollBack(client, error)
        return refuseOutage(error)
      }
    },

    /** A server that takes no writes, such as one that a failover left behind, is of no use to us. */
    async ping () {
      const { rows } = await pool.query({ text: "SELECT current_setting('transaction_read_only') AS readonly", query_timeout: PING_TIMEOUT } as QueryConfig)
      if (rows[0].readonly === 'on') throw new Error('the database is read-only')
    },
  }
}

/** A connection that broke, or that may still be at work on a query we gave up on, never goes back to the pool. */
async function rollBack (client: PoolClient, error: unknown) {
  if (isOutage(error)) return client.release(true)
  await client.query('ROLLBACK').then(() => client.release(), () => client.release(true))
}

function refuseOutage (error: unknown): never {
  throw isOutage(error) ? new Unavailable(error) : error
}

function meter ({ metrics, database, pg: { pool }, config }: FastifyInstance) {
  const check = createCheck(database.ping)
  metrics.gauge('gatehouse_database_up', 'Whether PostgreSQL answers and takes writes', async () => Number(await check() === 'ok'))
  metrics.gauge('gatehouse_database_connections', 'Connections to PostgreSQL that are open', () => pool.totalCount)
  metrics.gauge('gatehouse_database_connections_idle', 'Connections to PostgreSQL that nobody uses', () => pool.idleCount)
  metrics.gauge('gatehouse_database_connections_max', 'Connections to PostgreSQL that may be open', () => config.DATABASE_POOL_MAX)
  metrics.gauge('gatehouse_database_waiting', 'Queries that wait for a connection', () => pool.waitingCount)
}

export default fp(async function (app) {
  await app.register(fastifyPostgres, {
    connectionString: app.config.DATABASE_URL,
    application_name: 'gatehouse',
    max: app.config.DATABASE_POOL_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    statement_timeout: STATEMENT_TIMEOUT,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT,
    // The client gives up a little after the server would have: only a frozen server gets here.
    query_timeout: STATEMENT_TIMEOUT + 1_000,
    keepAlive: true,
  })
  // Without listeners, the loss of a connection, idle or between two queries of a transaction, would end the process.
  let closing = false
  app.addHook('preClose', async () => { closing = true })
  app.pg.pool.on('error', err => closing || app.log.warn({ err }, 'a database connection was lost'))
  app.pg.pool.on('connect', client => client.on('error', () => {}))
  app.decorate('database', createDatabase(app))
  meter(app)
}, { name: 'database', dependencies: ['metrics', 'tracing'] })
