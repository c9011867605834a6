import type { Client } from 'pg'
import { knownMigrations } from '../../database/migrate.ts'
import { findingsFor, type Finding } from '../finding.ts'

const { ok, warning, problem } = findingsFor('migrations')

/** Reads the system catalog, which every role may read. */
const TABLES = `
  SELECT count(*) FILTER (WHERE relname = 'schema_migrations') = 1 AS migrated,
    count(*) FILTER (WHERE relname = 'version') = 1 AS queues,
    bool_or(relname = 'schema_migrations' AND has_table_privilege(oid, 'SELECT')) AS readable
  FROM pg_class
  WHERE (relnamespace::regnamespace::text, relname) IN (('public', 'schema_migrations'), ('pgboss', 'version'))`

export async function checkMigrations (client: Client): Promise<Finding> {
  const { rows: [tables] } = await client.query(TABLES)
  if (!tables.migrated) return problem('The database has no tables yet.', 'Run gatehouse migrate.')

  const known = await knownMigrations()
  if (!tables.readable) {
    return problem(
      'The role of DATABASE_URL may not read schema_migrations, or the tables are outdated.',
      'Run gatehouse migrate with this DATABASE_URL.'
    )
  }
  const { rows } = await client.query<{ version: string }>('SELECT version FROM schema_migrations WHERE version > 0')
  const applied = new Set(rows.map(({ version }) => Number(version)))
  const missing = known.filter(version => !applied.has(version))
  if (missing.length > 0) {
    return problem(`${missing.length} of ${known.length} migrations are not applied.`, 'Run gatehouse migrate.')
  }
  if (!tables.queues) return problem('The tables of the job queue are missing.', 'Run gatehouse migrate.')
  if (Math.max(...applied) > Math.max(...known)) {
    return warning('The database has newer migrations than this version of Gatehouse.', 'Update Gatehouse.')
  }
  return ok(`All ${known.length} migrations are applied.`)
}
