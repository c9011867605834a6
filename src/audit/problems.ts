import { BEGINNING, digestOf, hashOfEvents, hashOfSeal, type Seal, type SealedRow } from './seal.ts'

/** Events expire after 180 days. */
const EXPIRY = 180 * 24 * 60 * 60_000
/** A transaction begins at most this long before its first write. */
const LONGEST_WAIT = 60 * 60_000

/** Of a seal by itself, and after the one before it. */
export function chainProblems (seal: Seal, before: Seal | undefined): string[] {
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
export function eventProblems (
  seal: Seal,
  before: Seal | undefined,
  rows: Map<string, SealedRow>,
  deleted: Set<string>
): string[] {
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

export function anchorProblems (anchor: string | undefined, seals: Map<number, string>): string[] {
  if (anchor === undefined) return []
  const [number] = anchor.split(':')
  const found = seals.get(Number(number))
  if (found === anchor) return []
  return [found ? `seal ${number}: is not the one of the anchor` : `seal ${number} of the anchor is missing`]
}
