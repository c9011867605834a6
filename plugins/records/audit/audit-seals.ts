import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  BEGINNING, digestOf, hashOfEvents, hashOfSeal, isBackdated, joinDigests, leavesOf, type Seal, type SealContent,
  type SealedRow,
} from '../../../src/audit/seal.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { auditSeals: ReturnType<typeof createAuditSeals> }
}

interface StoredSeal extends Omit<Seal, 'leaves'> {
  ids: string[] | null
  accounts: Array<string | null>
  digests: Buffer
}

// All columns: the text is the same on every server, whatever its time zone.
const ROWS = `
  SELECT e.id, coalesce(e.user_id, e.account_id) AS "accountId", e.created_at AS at, e.xid,
    (jsonb_strip_nulls(to_jsonb(e)) || jsonb_build_object(
      'created_at', (extract(epoch FROM e.created_at) * 1000000)::bigint))::text AS row
  FROM auth_events e WHERE e.id = ANY ($1)`

const COLUMNS = `number, sealed_at AS "sealedAt", oldest, newest, next_xid AS "nextXid", events,
  events_hash AS "eventsHash", previous, hash, backdated, event_ids AS ids, account_ids AS accounts, digests`

const ADD = `
  INSERT INTO audit_seals (number, sealed_at, oldest, newest, next_xid, events, events_hash, previous, hash,
    first_id, last_id, event_ids, account_ids, digests, backdated)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, (SELECT min(id) FROM unnest($10::bigint[]) id),
    (SELECT max(id) FROM unnest($10::bigint[]) id), $10, $11, $12, $13)`

function toSeal ({ ids, accounts, digests, ...content }: StoredSeal): Seal {
  return { ...content, leaves: ids ? leavesOf(ids, accounts, digests) : undefined }
}

/** Seals over the recorded events. */
function createAuditSeals ({ database }: FastifyInstance) {
  async function rowsOf (ids: string[], client: Queryable = database): Promise<Map<string, SealedRow>> {
    const { rows } = await client.query<SealedRow>(ROWS, [ids])
    return new Map(rows.map(row => [row.id, row]))
  }

  async function latest (client: Queryable = database): Promise<Seal | undefined> {
    const { rows } = await client.query<StoredSeal>(`SELECT ${COLUMNS} FROM audit_seals ORDER BY number DESC LIMIT 1`)
    return rows[0] && toSeal(rows[0])
  }

  return {
    rowsOf,
    latest,

    async find (number: number): Promise<Seal | undefined> {
      const { rows } = await database.query<StoredSeal>(
        `SELECT ${COLUMNS} FROM audit_seals WHERE number = $1`, [number])
      return rows[0] && toSeal(rows[0])
    },

    /** In the order of their numbers. */
    async after (number: number, limit: number): Promise<Seal[]> {
      const { rows } = await database.query<StoredSeal>(
        `SELECT ${COLUMNS} FROM audit_seals WHERE number > $1 ORDER BY number LIMIT $2`, [number, limit])
      return rows.map(toSeal)
    },

    /** Undefined if all these events were deleted meanwhile. The caller lets only one instance do this at a time. */
    async add (client: Queryable, ids: string[]): Promise<Seal | undefined> {
      const found = await rowsOf(ids, client)
      const rows = ids.flatMap(id => found.get(id) ?? [])
      if (rows.length === 0) return undefined
      const leaves = rows.map(({ id, accountId, row }) => ({ id, accountId, digest: digestOf(row) }))
      const times = rows.map(({ at }) => at.getTime())
      const before = await latest(client)
      const backdated = rows.filter(row => isBackdated(row, before)).map(({ id }) => id)
      const { rows: [clock] } = await client.query<{ nextXid: string }>(
        'SELECT pg_snapshot_xmax(pg_current_snapshot()) AS "nextXid"')
      const content: SealContent = {
        number: (before?.number ?? 0) + 1,
        sealedAt: new Date(),
        oldest: new Date(Math.min(...times)),
        newest: new Date(Math.max(...times)),
        nextXid: clock?.nextXid ?? '',
        events: rows.length,
        eventsHash: hashOfEvents(leaves),
        previous: before?.hash ?? BEGINNING,
        backdated: backdated.length > 0 ? backdated : null,
      }
      const hash = hashOfSeal(content)
      const { number, sealedAt, oldest, newest, nextXid, events, eventsHash, previous } = content
      await client.query(ADD, [
        number, sealedAt, oldest, newest, nextXid, events, eventsHash, previous, hash,
        leaves.map(({ id }) => id), leaves.map(({ accountId }) => accountId), joinDigests(leaves),
        content.backdated,
      ])
      return { ...content, hash, leaves }
    },
  }
}

export default fp(async function (app) {
  app.decorate('auditSeals', createAuditSeals(app))
}, { name: 'audit-seals', dependencies: ['database'] })
