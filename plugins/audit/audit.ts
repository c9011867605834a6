import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { anchorOf, BEGINNING, digestOf, hashOfEvents, hashOfSeal, type Leaf } from '../../src/audit/seal.ts'
import type { Seal, SealedRow } from '../records/audit/audit-seals.ts'

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
/** Events expire after 180 days. */
const EXPIRY = 180 * 24 * 60 * 60_000
/** A transaction begins at most this long before its first write. */
const LONGEST_WAIT = 60 * 60_000

/** The lowest id. */
function lowest (leaves: Leaf[] = []): bigint | undefined {
  return leaves.map(({ id }) => BigInt(id)).toSorted((a, b) => a < b ? -1 : 1)[0]
}

/** Finds out whether the recorded events are still those that were sealed. */
function createAudit ({ auditChecks, auditSeals }: FastifyInstance) {
  function chainProblems (seal: Seal, before: Seal | undefined): string[] {
    const name = `seal ${seal.number}`
    const problems: string[] = []
    if (seal.number !== (before?.number ?? 0) + 1) problems.push(`${name}: the seal before it is missing`)
    else if (!seal.previous.equals(before?.hash ?? BEGINNING)) problems.push(`${name}: does not continue the chain`)
    if (!seal.hash.equals(hashOfSeal(seal))) problems.push(`${name}: was changed`)
    const listed = seal.leaves && hashOfEvents(seal.leaves)
    if (listed && !seal.eventsHash.equals(listed)) problems.push(`${name}: its list was changed`)
    if (!seal.leaves && seal.newest.getTime() > Date.now() - EXPIRY) problems.push(`${name}: its list is missing`)
    return problems
  }

  /** `before` is the seal before it: an event that claims to be older would be in that one. */
  function eventProblems (seal: Seal, before: Seal | undefined, rows: Map<string, SealedRow>, deleted: Set<string>) {
    const expired = seal.oldest.getTime() < Date.now() - EXPIRY
    return (seal.leaves ?? []).flatMap(({ id, accountId, digest }) => {
      const found = rows.get(id)
      if (!found) {
        return expired || (accountId !== null && deleted.has(accountId)) ? [] : [`event ${id}: was removed`]
      }
      if (!digest.equals(digestOf(found.row))) return [`event ${id}: was changed`]
      const isLate = before && BigInt(found.xid) >= BigInt(before.nextXid) &&
        found.at.getTime() < before.sealedAt.getTime() - LONGEST_WAIT
      return isLate ? [`event ${id}: was inserted later than it claims`] : []
    })
  }

  function anchorProblems (anchor: string | undefined, seals: Map<number, string>): string[] {
    if (anchor === undefined) return []
    const [number] = anchor.split(':')
    const found = seals.get(Number(number))
    if (found === anchor) return []
    return [found ? `seal ${number}: is not the one of the anchor` : `seal ${number} of the anchor is missing`]
  }

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
  }
}

export default fp(async function (app) {
  app.decorate('audit', createAudit(app))
}, { name: 'audit', dependencies: ['audit-checks', 'audit-seals'] })
