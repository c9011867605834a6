import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

/** In milliseconds. PostgreSQL looks for deadlocks after a second, and could end a request to resolve one. */
const MAX_WAIT = 500
/** In milliseconds, between two tries: requests that waited go on. */
const PAUSE = 200
const MAX_TRIES = 8

const TABLES = `
  SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS tables FROM pg_tables
  WHERE schemaname = 'public' AND pg_has_role(tableowner, 'USAGE')`

/**
 * Locks all tables before the first one is changed, or none. A migration that locks one after the other can wait for a
 * request that waits for the migration: it has used one table and now needs another.
 */
export async function lockTables (client: Client): Promise<void> {
  const { rows: [{ tables }] } = await client.query(TABLES)
  if (!tables) return
  for (let tries = 1; ; tries++) {
    await client.query('SAVEPOINT unlocked')
    try {
      await client.query(`SET LOCAL statement_timeout = ${MAX_WAIT}`)
      await client.query(`LOCK TABLE ${tables}`)
      await client.query('SET LOCAL statement_timeout = 0')
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== '57014' || tries === MAX_TRIES) throw error
      await client.query('ROLLBACK TO SAVEPOINT unlocked')
      await sleep(PAUSE)
    }
  }
}
