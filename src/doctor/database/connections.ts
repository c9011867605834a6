import type { Client } from 'pg'
import type { Config } from '../../config.ts'
import { QUEUE_CONNECTIONS } from '../../database/job-queues.ts'
import { findingsFor, type Finding } from '../finding.ts'

const { ok, warning, problem } = findingsFor('connections')

/** The server, the database and the role can each have a limit; -1 is none. Some are reserved for superusers. */
const ALLOWED = `
  SELECT least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)
  ) AS allowed`

/** How many instances run is not known: compares what one of them may open. */
export async function checkConnections (client: Client, { DATABASE_POOL_MAX }: Config): Promise<Finding> {
  const { rows: [{ allowed }] } = await client.query(ALLOWED)
  const needed = DATABASE_POOL_MAX + QUEUE_CONNECTIONS + 1
  const found = `Each instance opens up to ${needed} connections (DATABASE_POOL_MAX, ${QUEUE_CONNECTIONS} for the ` +
    `job queue and 1 for revocations), and PostgreSQL allows ${allowed}`
  const advice = 'Lower DATABASE_POOL_MAX, or raise max_connections in PostgreSQL or the limit of the role or database.'
  const instances = Math.floor(allowed / needed)
  if (instances === 0) return problem(`${found}: too few for one instance.`, advice)
  if (instances === 1) {
    return warning(`${found}: enough for one instance, but not for two, as during a rolling restart.`, advice)
  }
  return ok(`${found}: enough for ${instances} instances.`)
}
