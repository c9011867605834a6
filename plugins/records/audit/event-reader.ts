import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'
import type { EventKind } from './events.ts'

declare module 'fastify' {
  interface FastifyInstance { eventReader: ReturnType<typeof createEventReader> }
}

export type ReaderName = 'webhooks' | 'audit' | 'counts' | 'last-sign-ins'

interface SettledEvent {
  id: string
  what: EventKind
  accountId: string | null
  sessionId: string | null
  subject: string | null
  salt: string
  at: Date
}

interface Position { from: string, until: string, lastId: string, restoredId: string, catchingUp: boolean }

interface Batch {
  events: SettledEvent[]
  /** Nothing was read, and there is nothing to move on from. Every other batch must advance, also an empty one. */
  isIdle: boolean
  /** It reaches as far as can be read at present. Going on at once would read each new event in a batch of its own. */
  isLast: boolean
  /** The transactions that these are the last events of. */
  finished?: { from: string, until: string }
  /** Moves on as part of the caller's transaction. */
  advance (): Promise<void>
}

/** The greatest transaction number. */
const END_OF_TIME = String(2n ** 64n - 1n)

// Only one instance reads at a time: the others find the row locked.
const LOCK = `
  SELECT from_xid AS from, until_xid AS until, last_id AS "lastId", restored_id AS "restoredId",
    catching_up AS "catchingUp"
  FROM event_readers WHERE name = $1 FOR UPDATE SKIP LOCKED`

const HORIZON = `
  SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled, pg_snapshot_xmax(pg_current_snapshot()) AS next`

// In the order of ids: of two changes of one account, the second waits for the first and gets its id after it.
const READ = `
  SELECT id, what, coalesce(user_id, account_id) AS "accountId", session_id AS "sessionId", subject, salt,
    created_at AS at
  FROM auth_events
  WHERE xid >= $1 AND xid < $2 AND id > $3 AND CASE WHEN $5 THEN id <= $4 ELSE id > $4 END
  ORDER BY id LIMIT $6`

// The first transaction that must wait: the account has an event with a lower id in one from $2 on. Events up to $3,
// from before a restore, have been read, whatever their numbers.
const TOO_EARLY = `
  SELECT later.xid FROM auth_events later
  JOIN (
    SELECT coalesce(user_id, account_id) AS account, min(id) AS id FROM auth_events
    WHERE xid >= $2 AND id > $3 GROUP BY account
  ) earlier ON earlier.account = coalesce(later.user_id, later.account_id) AND earlier.id < later.id
  WHERE later.xid >= $1 AND later.xid < $2
  ORDER BY later.xid LIMIT 1`

const MOVE = `
  UPDATE event_readers
  SET from_xid = $2, until_xid = $3, last_id = $4, restored_id = $5, catching_up = $6 WHERE name = $1`

/** Reads events in the background: each once, and none before every earlier transaction has ended. */
function createEventReader (app: FastifyInstance) {
  async function move (client: Queryable, name: ReaderName, position: Position) {
    const { from, until, lastId, restoredId, catchingUp } = position
    await client.query(MOVE, [name, from, until, lastId, restoredId, catchingUp])
  }

  /** The database came from a server whose transaction numbers were higher: those of new events are lower. */
  async function noticeRestore (client: Queryable, position: Position, next: string) {
    if (position.catchingUp || BigInt(position.until) <= BigInt(next)) return
    const { rows: [latest] } = await client.query<{ id: string }>(
      'SELECT coalesce(max(id), 0) AS id FROM auth_events WHERE xid >= $1', [next])
    app.log.warn({ before: position.until, now: next }, 'the database was restored: its transaction numbers are lower')
    Object.assign(position, { until: END_OF_TIME, restoredId: latest?.id, catchingUp: true })
  }

  /**
   * How far it can read. A transaction that has waited for another one has the higher id for the account, but its
   * number may be lower. A third that is still open, with a number between them, would separate the two.
   */
  async function readableUntil (client: Queryable, position: Position, settled: string): Promise<string> {
    const { from, restoredId } = position
    const { rows: [tooEarly] } = await client.query<{ xid: string }>(TOO_EARLY, [from, settled, restoredId])
    return tooEarly ? readableUntil(client, position, tooEarly.xid) : settled
  }

  return {
    /** The next events. Undefined if another instance is reading. */
    async next (client: Queryable, name: ReaderName, limit: number): Promise<Batch | undefined> {
      const { rows: [position] } = await client.query<Position>(LOCK, [name])
      const { rows: [horizon] } = await client.query<{ settled: string, next: string }>(HORIZON)
      if (!position || !horizon) return undefined
      await noticeRestore(client, position, horizon.next)
      if (position.lastId === '0' && !position.catchingUp) {
        position.until = await readableUntil(client, position, horizon.settled)
      }

      const { from, until, lastId, restoredId, catchingUp } = position
      const { rows: events } = await client.query<SettledEvent>(
        READ, [from, until, lastId, restoredId, catchingUp, limit])
      const last = events.at(-1)?.id
      if (last !== undefined && events.length === limit) {
        const advance = () => move(client, name, { ...position, lastId: last })
        return { events, isIdle: false, isLast: false, advance }
      }
      const isIdle = last === undefined && lastId === '0' && !catchingUp
      const isLast = until === horizon.settled
      const start = catchingUp ? '0' : until
      const done = { from: start, until: start, lastId: '0', restoredId, catchingUp: false }
      const finished = catchingUp ? undefined : { from, until }
      return { events, isIdle, isLast, finished, advance: () => move(client, name, done) }
    },
  }
}

export default fp(async function (app) {
  app.decorate('eventReader', createEventReader(app))
}, { name: 'event-reader', dependencies: ['database'] })
