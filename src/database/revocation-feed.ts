import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ACCESS_LIFETIME } from '../sessions/session.ts'
import { serviceConnection, type ConnectionSettings } from './connection.ts'
import { JOB_CHANNEL } from './job-queues.ts'

export interface Revocation {
  sid: string
  canary: boolean
  /** No session has ended: the data of this account has changed. */
  changedAccount: string | null
  /** Seconds since it was written, by the clock of PostgreSQL. */
  age: number
}

interface Reader {
  /**
   * `beganAt` is when the read began: everything that was committed before has arrived. `isReplay`: the first read of a
   * connection, which has all ended sessions and no changed account.
   */
  onRead (revocations: Revocation[], beganAt: number, isReplay: boolean): void
  onFailure (error: unknown): void
  /** A job was added to this queue. */
  onJob? (queue: string): void
}

/** Also where LISTEN is not possible: through a pooler. */
const POLL_INTERVAL = 1_000
/** Between two reads: many notifications at once cause one. */
const MIN_INTERVAL = 10
const RECONNECT_INTERVAL = 50
const RETRY_INTERVAL = 500

// Rows commit out of order: each read returns what the snapshot of the last one did not see. The comparison with its
// oldest transaction is for the index; alone it would return the same rows again while any transaction stays open.
// A replay leaves out changed accounts: an import adds one for each row, and would delay the ended sessions.
const READ = `
  SELECT pg_current_snapshot()::text AS snapshot, sid, canary, changed_account::text AS "changedAccount",
    extract(epoch FROM clock_timestamp() - created_at)::float8 AS age
  FROM (VALUES (true)) AS always LEFT JOIN revocations
    ON xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
      AND created_at > now() - interval '${ACCESS_LIFETIME + 60} seconds'
      AND ($2::boolean OR changed_account IS NULL)`

/** The snapshot of a reader that has seen nothing. */
const NOTHING_SEEN = '1:1:'

/**
 * Follows the table `revocations` on a connection of its own. A new connection begins with a replay. The reads also
 * show that the connection works: one that is dead is replaced, however it died. So this is the one that listens,
 * for new jobs as well.
 */
export function createRevocationFeed (
  config: ConnectionSettings,
  { onRead, onFailure, onJob }: Reader,
  pollInterval = POLL_INTERVAL
) {
  const { Client, ...connectionOptions } = serviceConnection(config)
  const prepares = config.DATABASE_PREPARE === 'on'
  const closing = new AbortController()
  let due = Promise.withResolvers<void>()
  let following: Promise<void> | undefined
  let connection: pg.Client | undefined

  async function follow () {
    while (!closing.signal.aborted) {
      let reads = 0
      await followConnection(() => reads++).catch(error => {
        // A connection that has worked is replaced at once: only if that fails, too, the feed is lost.
        if (reads === 0 && !closing.signal.aborted) onFailure(error)
      })
      if (!closing.signal.aborted) await sleep(reads > 0 ? RECONNECT_INTERVAL : RETRY_INTERVAL)
    }
  }

  async function followConnection (countRead: () => void) {
    const client = connection = new Client({ ...connectionOptions, application_name: 'gatehouse revocations' })
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => {})
    client.on('error', broken.reject)
    client.on('end', () => broken.reject(new Error('the connection has ended')))
    client.on('notification', ({ channel, payload = '' }) => channel === JOB_CHANNEL ? onJob?.(payload) : due.resolve())
    try {
      await client.connect()
      if (prepares) await client.query(`LISTEN gatehouse_revocations; LISTEN ${JOB_CHANNEL}`)
      let seen = NOTHING_SEEN
      while (!closing.signal.aborted) {
        seen = await read(client, seen)
        countRead()
        await Promise.race([untilDue(), broken.promise])
      }
    } finally {
      client.end().catch(() => {})
    }
  }

  async function read (client: pg.Client, seen: string): Promise<string> {
    due = Promise.withResolvers<void>()
    const beganAt = performance.now()
    const isReplay = seen === NOTHING_SEEN
    const name = prepares ? 'read-revocations' : undefined
    const { rows } = await client.query({ name, text: READ, values: [seen, !isReplay] })
    onRead(rows.filter(({ sid }) => sid !== null), beganAt, isReplay)
    return rows[0].snapshot
  }

  async function untilDue () {
    const timer = setTimeout(due.resolve, pollInterval - MIN_INTERVAL)
    await sleep(MIN_INTERVAL)
    await due.promise
    clearTimeout(timer)
  }

  return {
    start () {
      following ??= follow()
    },

    /** Reads again soon, without waiting for the next poll. */
    readNow: () => due.resolve(),

    async stop () {
      closing.abort()
      due.resolve()
      connection?.end().catch(() => {})
      await following
    },
  }
}
