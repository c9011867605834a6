import type { Client } from 'pg'
import { knownMigrations } from '../database/migrate.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning, problem } = about('migrations')

/** From the catalogue, which everybody may read, whatever the role may do. */
const LOOK = `
  SELECT count(*) FILTER (WHERE relname = 'schema_migrations') = 1 AS begun, count(*) FILTER (WHERE relname = 'version') = 1 AS queues,
    bool_or(relname = 'schema_migrations' AND has_table_privilege(oid, 'SELECT')) AS readable
  FROM pg_class WHERE (relnamespace::regnamespace::text, relname) IN (('public', 'schema_migrations'), ('pgboss', 'version'))`

export async function checkMigrations (client: Client): Promise<Finding> {
  const { rows: [found] } = await client.query(LOOK)
  if (!found.begun) return problem('there are no tables yet.', 'Run gatehouse migrate.')

  const known = await knownMigrations()
  if (!found.readable) return problem('the role of DATABASE_URL may not look, or the tables are older than that.', 'Run gatehouse migrate with this DATABASE_URL.')
  const { rows } = await client.query<{ version: string }>('SELECT version FROM schema_migrations WHERE version > 0')
  const applied = new Set(rows.map(({ version }) => Number(version)))
  const missing = known.filter(version => !applied.has(version))
  if (missing.length > 0) return problem(`${missing.length} of ${known.length} migrations are not applied.`, 'Run gatehouse migrate.')
  if (!found.queues) return problem('the tables of the job queue are missing.', 'Run gatehouse migrate.')
  if (applied.size > known.length) return warning('the tables are newer than this program.', 'Update it, as the other instances were.')
  return ok(`all ${known.length} are applied.`)
}
