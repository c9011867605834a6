import pg from 'pg'
import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { checkClock } from './clock.ts'
import { about, type Finding } from './finding.ts'
import { checkMigrations } from './migrations.ts'
import { checkRights } from './rights.ts'

const { ok, problem } = about('database')
const ANSWER_TIMEOUT = 3_000

/** As the service itself: what it may not do, its doctor may not either. */
export async function checkDatabase ({ DATABASE_URL }: Config): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: DATABASE_URL, application_name: 'gatehouse doctor', connectionTimeoutMillis: ANSWER_TIMEOUT, query_timeout: ANSWER_TIMEOUT })
  client.on('error', () => {})
  try {
    const start = performance.now()
    await client.connect()
    const { rows: [server] } = await client.query("SELECT current_setting('server_version') AS version, current_user AS role, pg_is_in_recovery() AS standby")
    if (server.standby) return [problem('PostgreSQL is a standby, which takes no writes.', 'Point DATABASE_URL to the primary.')]
    const answered = ok(`PostgreSQL ${server.version} lets ${server.role} in, within ${Math.ceil(performance.now() - start)} ms.`)
    const migrations = await checkMigrations(client)
    return [
      answered,
      migrations,
      ...(migrations.state === 'problem' ? [] : await checkRights(client)),
      await checkClock('PostgreSQL', async () => Number((await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')).rows[0].now)),
    ]
  } catch (error) {
    return [problem(`PostgreSQL does not let us in, or not far: ${reasonOf(error)}.`, 'Start it, or correct DATABASE_URL. Tables, rights and clock were not looked at.')]
  } finally {
    await client.end().catch(() => {})
  }
}
