import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { anchorOf, BEGINNING, digestOf, hashOfEvents, hashOfSeal } from '../../../src/audit/seal.ts'
import type { Seal, SealedRow } from '../../records/trail/audit-seals.ts'

declare module 'fastify' {
  interface FastifyInstance { audit: ReturnType<typeof createAudit> }
}

export interface Verdict {
  /** When the oldest event under a seal happened. */
  since: Date | null
  seals: number
  events: number
  problems: string[]
}

const PAGE = 100
/** Events expire after 180 days. */
const EXPIRY = 180 * 24 * 60 * 60_000
/** A transaction begins at most this long before its first write. */
const LONGEST_WAIT = 60 * 60_000

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

    /** `anchor` is what `gatehouse audit anchor` printed, or a webhook told, at some time. */
    async verify (anchor?: string): Promise<Verdict> {
      const deleted = await auditChecks.deletedAccounts()
      const verdict: Verdict = { since: null, seals: 0, events: 0, problems: [] }
      const anchored = new Map<number, string>()
      let before: Seal | undefined
      for (;;) {
        const page: Seal[] = await auditSeals.after(before?.number ?? 0, PAGE)
        if (page.length === 0) break
        const rows = await auditSeals.rowsOf(page.flatMap(({ leaves = [] }) => leaves.map(({ id }) => id)))
        for (const seal of page) {
          verdict.problems.push(...chainProblems(seal, before), ...eventProblems(seal, before, rows, deleted))
          if (anchor?.startsWith(`${seal.number}:`)) anchored.set(seal.number, anchorOf(seal))
          verdict.since ??= seal.oldest
          verdict.seals++
          verdict.events += seal.events
          before = seal
        }
      }
      const unsealed = (await auditChecks.unsealed()).map(id => `event ${id}: was inserted, or its seal was removed`)
      verdict.problems.push(...unsealed, ...anchorProblems(anchor, anchored))
      return verdict
    },
  }
}

export default fp(async function (app) {
  app.decorate('audit', createAudit(app))
}, { name: 'audit', dependencies: ['audit-checks', 'audit-seals'] })
