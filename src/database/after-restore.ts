import type pg from 'pg'
import type { Config } from '../config.ts'
import { COMMAND_LINE } from '../operators/actors.ts'
import { connectTo } from './connection.ts'

/** The session id of a revocation that concerns every access token issued before it. */
export const EVERY_SESSION = '00000000-0000-0000-0000-000000000000'

/** The reason that a webhook shows. Version 0.2 also sends nothing to it. */
const PAUSED_BY_RESTORE = 'the database was restored: confirm it'

// The number of the next transaction may be lower than those of the events: their readers go on by id.
const CONTINUE_READING = `
  UPDATE event_readers SET until_xid = '18446744073709551615', catching_up = true,
    restored_id = (SELECT coalesce(max(id), 0) FROM auth_events)`

const RECORD = `
  INSERT INTO auth_events (what, user_id)
  SELECT DISTINCT 'all_sessions_ended', user_id FROM refresh_tokens WHERE revoked_at IS NULL AND expires_at > now()`

// Not row by row: TRUNCATE fires no trigger, and one revocation is enough for all access tokens. Links that restore an
// address stay: using one a second time does no harm, and its owner may need it. Wrong codes in mails still count.
// Browsers that skip the second factor are bound to `factors_version`. A key for other services may have been retired
// because it had leaked. What applications got ended with the sessions, except for the tokens of machines. Those that
// registered themselves do so again: the ones that were removed after the backup are not back.
const END = [
  'TRUNCATE refresh_tokens, application_grants, openid_artifacts, device_codes, mail_codes',
  `INSERT INTO revocations (sid) VALUES ('${EVERY_SESSION}')`,
  "DELETE FROM one_time_tokens WHERE kind <> 'undo_email'",
  'UPDATE users SET factors_version = factors_version + 1 WHERE factors_version > 0',
  'DELETE FROM signing_keys',
  'DELETE FROM retired_signing_keys',
  'DELETE FROM operator_sessions',
  'DELETE FROM applications WHERE registration IS NOT NULL',
  "SELECT pg_notify('gatehouse_revocations', '')",
]

// Keys, operators, endpoints and applications that were removed after the backup are back. Version 0.2 sees the first
// three as ended, removed and paused, and so do the events.
const SUSPEND = [
  `WITH suspended AS (
    UPDATE api_keys SET ended_at = now(), suspended_at = now() WHERE ended_at IS NULL RETURNING name
  ) INSERT INTO auth_events (what, subject, actor) SELECT 'key_ended', name, '${COMMAND_LINE}' FROM suspended`,
  `WITH removed AS (DELETE FROM operators RETURNING user_id, role), suspended AS (
    INSERT INTO suspended_operators (user_id, role) SELECT user_id, role FROM removed
    ON CONFLICT (user_id) DO UPDATE SET role = excluded.role
  ) INSERT INTO auth_events (what, user_id, actor) SELECT 'operator_removed', user_id, '${COMMAND_LINE}' FROM removed`,
  `WITH paused AS (
    UPDATE webhooks SET paused_at = now(), paused_for = '${PAUSED_BY_RESTORE}' WHERE paused_at IS NULL RETURNING id
  ) INSERT INTO auth_events (what, subject, actor) SELECT 'webhook_paused', id, '${COMMAND_LINE}' FROM paused`,
  `WITH suspended AS (
    UPDATE applications SET suspended_at = now() WHERE suspended_at IS NULL RETURNING id
  ) INSERT INTO auth_events (what, subject, actor) SELECT 'application_changed', id, '${COMMAND_LINE}' FROM suspended`,
]

/** What waits to be confirmed. An operator is named by the address, because usernames can repeat. */
export interface Suspended { kind: 'api-key' | 'app' | 'operator' | 'webhook', name: string, about: string }

// The command of version 0.2 names a suspended operator again without removing the suspension.
export const LIST_SUSPENDED = `
  SELECT 'api-key' AS kind, name, array_to_string(scopes, ',') AS about
  FROM api_keys WHERE suspended_at IS NOT NULL
  UNION ALL SELECT 'operator', email, username || ', ' || s.role
  FROM suspended_operators s JOIN users ON users.id = s.user_id
  WHERE NOT EXISTS (SELECT FROM operators o WHERE o.user_id = s.user_id)
  UNION ALL SELECT 'webhook', w.id::text, url || coalesce(' of application ' || a.name, '')
  FROM webhooks w LEFT JOIN applications a ON a.id = w.application_id WHERE paused_for = '${PAUSED_BY_RESTORE}'
  UNION ALL SELECT 'app', id::text, name FROM applications WHERE suspended_at IS NOT NULL
  ORDER BY kind, name`

/**
 * Ends everything that may have been ended after the moment that the database was restored to, as the owner of the
 * tables, and suspends keys, operators, webhooks and applications until they are confirmed. Returns these, and the
 * number of accounts that were signed in.
 */
export async function endEverything (
  config: Pick<Config, 'DATABASE_URL' | 'MIGRATION_DATABASE_URL'>
): Promise<{ accounts: number, suspended: Suspended[] }> {
  const { Client, connectionString } = connectTo(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL)
  const client: pg.Client = new Client({ connectionString, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(CONTINUE_READING)
    const { rowCount } = await client.query(RECORD)
    for (const statement of [...END, ...SUSPEND]) await client.query(statement)
    const { rows: suspended } = await client.query<Suspended>(LIST_SUSPENDED)
    await client.query('COMMIT')
    return { accounts: rowCount ?? 0, suspended }
  } finally {
    // Without COMMIT, this rolls everything back.
    await client.end()
  }
}
