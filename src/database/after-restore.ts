import type pg from 'pg'
import type { Config } from '../config.ts'
import { connectTo } from './connection.ts'

/** The session id of a revocation that concerns every access token issued before it. */
export const EVERY_SESSION = '00000000-0000-0000-0000-000000000000'

// The number of the next transaction may be lower than those of the events: their readers go on by id.
const CONTINUE_READING = `
  UPDATE event_readers SET until_xid = '18446744073709551615', catching_up = true,
    restored_id = (SELECT coalesce(max(id), 0) FROM auth_events)`

const RECORD = `
  INSERT INTO auth_events (what, user_id)
  SELECT DISTINCT 'all_sessions_ended', user_id FROM refresh_tokens WHERE revoked_at IS NULL AND expires_at > now()`

// Not row by row: TRUNCATE fires no trigger, and one revocation is enough for all access tokens. Links that restore an
// address stay: using one a second time does no harm, and its owner may need it. Browsers that skip the second factor
// are bound to `factors_version`. A key for other services may have been retired because it had leaked.
const END = [
  'TRUNCATE refresh_tokens',
  `INSERT INTO revocations (sid) VALUES ('${EVERY_SESSION}')`,
  "DELETE FROM one_time_tokens WHERE kind <> 'undo_email'",
  'UPDATE users SET factors_version = factors_version + 1 WHERE factors_version > 0',
  'DELETE FROM signing_keys',
  "SELECT pg_notify('gatehouse_revocations', '')",
]

/**
 * Ends everything that may have been ended after the moment that the database was restored to, as the owner of the
 * tables. Returns the number of accounts that were signed in.
 */
export async function endEverything (
  config: Pick<Config, 'DATABASE_URL' | 'MIGRATION_DATABASE_URL'>
): Promise<number> {
  const { Client, connectionString } = connectTo(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL)
  const client: pg.Client = new Client({ connectionString, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(CONTINUE_READING)
    const { rowCount } = await client.query(RECORD)
    for (const statement of END) await client.query(statement)
    await client.query('COMMIT')
    return rowCount ?? 0
  } finally {
    // Without COMMIT, this rolls everything back.
    await client.end()
  }
}
