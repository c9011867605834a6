import type { Config } from '../config.ts'
import { connectTo } from '../database/connection.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { checkClock } from './clock.ts'
import { checkConnections } from './database/connections.ts'
import { checkMigrations } from './database/migrations.ts'
import { checkRights } from './database/rights.ts'
import { ANSWER_TIMEOUT, findingsFor, type Finding } from './finding.ts'

const { ok, problem } = findingsFor('database')

const SERVER = `
  SELECT current_setting('server_version') AS version, current_user AS role, pg_is_in_recovery() AS standby`
const NOW = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'

/** Connects with the role of the service, so that missing privileges show up here too. */
export async function checkDatabase (config: Config): Promise<Finding[]> {
  const { Client, connectionString } = connectTo(config.DATABASE_URL)
  const client = new Client({
    connectionString,
    application_name: 'gatehouse doctor',
    connectionTimeoutMillis: ANSWER_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
  })
  client.on('error', () => {})
  try {
    const start = performance.now()
    await client.connect()
    const { rows: [{ version, role, standby }] } = await client.query(SERVER)
    if (standby) return [problem('PostgreSQL is a read-only standby.', 'Set DATABASE_URL to the primary.')]
    const connected = ok(`Connected to PostgreSQL ${version} as ${role} in ${Math.ceil(performance.now() - start)} ms.`)
    const migrations = await checkMigrations(client)
    return [
      connected,
      migrations,
      ...(migrations.state === 'problem' ? [] : [await checkRights(client)]),
      await checkConnections(client, config),
      await checkClock('PostgreSQL', async () => Number((await client.query(NOW)).rows[0].now)),
    ]
  } catch (error) {
    return [problem(
      `Cannot connect to PostgreSQL, or a query failed: ${reasonOf(error)}.`,
      'Start PostgreSQL or correct DATABASE_URL. Migrations, rights, connections and clock were not checked.'
    )]
  } finally {
    await client.end().catch(() => {})
  }
}
