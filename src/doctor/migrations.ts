import type { Client } from 'pg'
import { knownMigrations } from '../migrate.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning, problem } = about('migrations')

export async function checkMigrations (client: Client): Promise<Finding> {
  const { rows: [found] } = await client.query(`
    SELECT to_regclass('schema_migrations') IS NOT NULL AS begun, to_regclass('pgboss.version') IS NOT NULL AS queues,
      to_regclass('schema_migrations') IS NOT NULL AND has_table_privilege('schema_migrations', 'SELECT') AS readable`)
  if (!found.begun) return problem('there are no tables yet.', 'Run gatehouse migrate.')

  const known = await knownMigrations()
  if (!found.readable) return problem(`not all of the ${known.length} migrations are applied.`, 'Run gatehouse migrate.')
  const { rows } = await client.query<{ version: string }>('SELECT version FROM schema_migrations WHERE version > 0')
  const applied = new Set(rows.map(({ version }) => Number(version)))
  const missing = known.filter(version => !applied.has(version))
  if (missing.length > 0) return problem(`${missing.length} of ${known.length} migrations are not applied.`, 'Run gatehouse migrate.')
  if (!found.queues) return problem('the tables of the job queue are missing.', 'Run gatehouse migrate.')
  if (applied.size > known.length) return warning('the tables are newer than this program.', 'Update it, as the other instances were.')
  return ok(`all ${known.length} are applied.`)
}
