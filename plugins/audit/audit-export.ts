import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { anchorOf } from '../../src/audit/seal.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The next sealed events after this seal, and the seals, as lines. `last` is the number of the last of them. */
    auditExport (after: number, since: Date): Promise<{ lines: object[], last: number }>
  }
}

const PAGE = 100

function createAuditExport ({ auditSeals }: FastifyInstance): FastifyInstance['auditExport'] {
  return async function auditExport (after, since) {
    const seals = await auditSeals.after(after, PAGE)
    const recent = seals.filter(({ newest }) => newest >= since)
    const rows = await auditSeals.rowsOf(recent.flatMap(({ leaves = [] }) => leaves.map(({ id }) => id)))
    const lines = recent.flatMap(seal => {
      const events = (seal.leaves ?? []).flatMap(({ id }) => rows.get(id) ?? []).filter(({ at }) => at >= since)
      // The salt protects the digest of a deleted event: it does not leave the database.
      const hidden = { salt: undefined, xid: undefined }
      const lines = events.map(({ row, at }) => ({ ...JSON.parse(row), ...hidden, created_at: at }))
      return [...lines, { seal: seal.number, anchor: anchorOf(seal), sealed_at: seal.sealedAt, events: seal.events }]
    })
    return { lines, last: seals.at(-1)?.number ?? after }
  }
}

export default fp(async function (app) {
  app.decorate('auditExport', createAuditExport(app))
}, { name: 'audit-export', dependencies: ['audit-seals'] })
