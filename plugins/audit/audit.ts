import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { anchorProblems, chainProblems, eventProblems } from '../../src/audit/problems.ts'
import { anchorOf, type Leaf, type Seal } from '../../src/audit/seal.ts'

declare module 'fastify' {
  interface FastifyInstance { audit: ReturnType<typeof createAudit> }
}

export interface Verdict {
  /** When the oldest event under a seal that was checked happened. */
  since: Date | null
  /** Whether all seals were checked. */
  isComplete: boolean
  seals: number
  events: number
  problems: string[]
}

const PAGE = 100

/** The lowest id. */
function lowest (leaves: Leaf[] = []): bigint | undefined {
  return leaves.map(({ id }) => BigInt(id)).toSorted((a, b) => a < b ? -1 : 1)[0]
}

/** The sealed trail of events: its state, whether it is still what was sealed, and its export. */
function createAudit ({ auditChecks, auditSeals }: FastifyInstance) {
  return {
    anchor: async () => {
      const seal = await auditSeals.latest()
      return seal && anchorOf(seal)
    },

    /** Without verifying anything. */
    async state () {
      const [latest, [first], waiting] = await Promise.all([
        auditSeals.latest(), auditSeals.after(0, 1), auditChecks.waiting(),
      ])
      return {
        latest: latest ? { number: latest.number, anchor: anchorOf(latest), sealedAt: latest.sealedAt } : null,
        since: first?.oldest ?? null,
        waiting,
      }
    },

    /**
     * `anchor` is what `gatehouse audit anchor` printed, or a webhook told, at some time.
     * `newest`: only so many seals, the latest, and the events since the first of them.
     */
    async verify ({ anchor, newest = Infinity }: { anchor?: string, newest?: number } = {}): Promise<Verdict> {
      const deleted = await auditChecks.deletedAccounts()
      const skipped = Math.max(0, ((await auditSeals.latest())?.number ?? 0) - newest)
      const verdict: Verdict = { since: null, isComplete: skipped === 0, seals: 0, events: 0, problems: [] }
      const anchored = new Map<number, string>()
      let before = skipped > 0 ? await auditSeals.find(skipped) : undefined
      let last = skipped
      let firstId: bigint | undefined
      for (;;) {
        const page: Seal[] = await auditSeals.after(last, PAGE)
        if (page.length === 0) break
        const rows = await auditSeals.rowsOf(page.flatMap(({ leaves = [] }) => leaves.map(({ id }) => id)))
        for (const seal of page) {
          verdict.problems.push(...chainProblems(seal, before), ...eventProblems(seal, before, rows, deleted))
          if (anchor?.startsWith(`${seal.number}:`)) anchored.set(seal.number, anchorOf(seal))
          verdict.since ??= seal.oldest
          firstId ??= lowest(seal.leaves)
          verdict.seals++
          verdict.events += seal.events
          before = seal
          last = seal.number
        }
      }
      const from = skipped > 0 ? String(firstId ?? 0) : '0'
      const unsealed = await auditChecks.unsealed(from)
      verdict.problems.push(
        ...unsealed.map(id => `event ${id}: was inserted, or its seal was removed`),
        ...anchorProblems(anchor, anchored)
      )
      return verdict
    },

    /** The next sealed events after this seal, and the seals, as lines. `last` is the number of the last of them. */
    async export (after: number, since: Date): Promise<{ lines: object[], last: number }> {
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
    },
  }
}

export default fp(async function (app) {
  app.decorate('audit', createAudit(app))
}, { name: 'audit', dependencies: ['audit-checks', 'audit-seals'] })
