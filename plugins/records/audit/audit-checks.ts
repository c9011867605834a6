import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { auditChecks: ReturnType<typeof createAuditChecks> }
}

/** Ids that one query compares. */
const WINDOW = 20_000

// An event without a seal is in order while it is not settled. Every event has a transaction number, and one that is
// still to come does not exist.
const UNSEALED = `
  WITH sealed AS (
    SELECT unnest(event_ids) AS id FROM audit_seals
    WHERE event_ids IS NOT NULL AND first_id <= $2 AND last_id >= $1
  ), reader AS (
    SELECT from_xid, catching_up FROM event_readers WHERE name = 'audit'
  )
  SELECT e.id FROM auth_events e, reader
  WHERE e.id BETWEEN $1 AND $2 AND e.created_at > now() - interval '179 days'
    AND e.id NOT IN (SELECT id FROM sealed) AND NOT catching_up
    AND (e.xid IS NULL OR e.xid < from_xid OR e.xid >= pg_snapshot_xmax(pg_current_snapshot()))
  ORDER BY e.id LIMIT 20`

// As the reader of the seals finds them.
const WAITING = `
  SELECT count(*)::int AS count FROM (
    SELECT FROM auth_events e, event_readers r
    WHERE r.name = 'audit' AND e.xid >= r.from_xid AND (e.xid >= r.until_xid OR e.id > r.last_id) LIMIT 10000
  ) waiting`

/** Questions to the tables that only the audit asks. */
function createAuditChecks ({ database }: FastifyInstance) {
  return {
    /** The accounts whose deletion is recorded, and that do not exist. Their events may be missing. */
    async deletedAccounts (): Promise<Set<string>> {
      const { rows } = await database.query<{ id: string }>(`
        SELECT account_id AS id FROM auth_events
        WHERE what = 'account_deleted' AND account_id IS NOT NULL
          AND NOT EXISTS (SELECT FROM users WHERE users.id = account_id)`)
      return new Set(rows.map(({ id }) => id))
    },

    /** How many events have no seal yet, counted up to 10,000. */
    async waiting (): Promise<number> {
      const { rows } = await database.query<{ count: number }>(WAITING)
      return rows[0]?.count ?? 0
    },

    /** Events from this id on that were added without a seal, although those of their time have one. */
    async unsealed (from = '0'): Promise<string[]> {
      const { rows: [range] } = await database.query<{ first: string | null, last: string }>(
        'SELECT min(id) AS first, max(id) AS last FROM auth_events WHERE id >= $1', [from])
      const found: string[] = []
      if (!range?.first) return found
      for (let low = BigInt(range.first); low <= BigInt(range.last); low += BigInt(WINDOW)) {
        const { rows } = await database.query<{ id: string }>(
          UNSEALED, [String(low), String(low + BigInt(WINDOW - 1))])
        found.push(...rows.map(({ id }) => id))
      }
      return found
    },
  }
}

export default fp(async function (app) {
  app.decorate('auditChecks', createAuditChecks(app))
}, { name: 'audit-checks', dependencies: ['database'] })
