import type { Client } from 'pg'

/** What the search for accounts looks through. No part of it is longer than a line. */
export const SEARCHED_TEXT = "lower(username || chr(10) || email || chr(10) || coalesce(name, ''))"
/** Its parts of three characters, as the index has them. */
export const SEARCHED_TRIGRAMS = `(trigrams(${SEARCHED_TEXT}) COLLATE "C")`

/**
 * Indexes of tables that may be large. They contain no column that a sign-in changes: its updates stay HOT. The list of
 * new entries that are not sorted in yet is short, because each search reads all of it.
 */
const INDEXES: Record<string, string> = {
  users_search: `ON users USING gin (${SEARCHED_TRIGRAMS}) WITH (gin_pending_list_limit = 512)`,
  users_created: 'ON users (created_at, id)',
  users_disabled: 'ON users (id) WHERE disabled_at IS NOT NULL',
  users_unconfirmed: 'ON users (id) WHERE email_verified_at IS NULL',
  users_external_id: 'ON users (external_id) WHERE external_id IS NOT NULL',
}
const UNIQUE = ['users_external_id']

const STATE = `
  SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = 'users'::regclass AND c.relname = ANY ($1)`

/** Before the new version starts, so that nothing but this has filled the table. */
const FILL_LAST_SIGN_INS = `
  INSERT INTO last_sign_ins (user_id, at)
  SELECT user_id, max(created_at) FROM auth_events WHERE what = 'sign_in' AND user_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM last_sign_ins) GROUP BY user_id
  ON CONFLICT DO NOTHING`

/**
 * What takes minutes on large tables: outside of the transaction of the migrations, which locks tables. Sign-ins go on
 * meanwhile. Each run does what is missing, also what an interrupted one left half done.
 */
export async function prepareLargeTables (client: Client) {
  const { rows } = await client.query<{ name: string, valid: boolean }>(STATE, [Object.keys(INDEXES)])
  const missing = Object.entries(INDEXES).filter(([name]) => !rows.some(row => row.name === name && row.valid))
  for (const [name, definition] of missing) {
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    const kind = UNIQUE.includes(name) ? 'UNIQUE INDEX' : 'INDEX'
    await client.query(`CREATE ${kind} CONCURRENTLY ${name} ${definition}`)
  }
  // The planner knows how frequent each trigram is only afterwards.
  if (missing.length > 0) await client.query('ANALYZE users')
  await client.query(FILL_LAST_SIGN_INS)
}
