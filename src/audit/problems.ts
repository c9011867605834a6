import {
  BEGINNING, digestOf, hashOfEvents, hashOfSeal, isBackdated, TOLERANCE, type Seal, type SealedRow,
} from './seal.ts'

/** The purge keeps an event until it was sealed so long ago. */
const EXPIRY = 180 * 24 * 60 * 60_000

/** By the time of the seal. The times of the events are what they claim. */
const isExpired = ({ sealedAt }: Seal) => sealedAt.getTime() < Date.now() - EXPIRY + TOLERANCE

/** Problems of a seal itself, and of its link to the seal before. */
export function chainProblems (seal: Seal, before: Seal | undefined): string[] {
  const name = `seal ${seal.number}`
  const problems: string[] = []
  if (seal.number !== (before?.number ?? 0) + 1) problems.push(`${name}: the seal before it is missing`)
  else if (!seal.previous.equals(before?.hash ?? BEGINNING)) problems.push(`${name}: does not continue the chain`)
  if (!seal.hash.equals(hashOfSeal(seal))) problems.push(`${name}: was changed`)
  const listed = seal.leaves && hashOfEvents(seal.leaves)
  if (listed && !seal.eventsHash.equals(listed)) problems.push(`${name}: its list was changed`)
  if (!seal.leaves && !isExpired(seal)) problems.push(`${name}: its list is missing`)
  return problems
}

/** `before` is the seal before it. */
export function eventProblems (
  seal: Seal,
  before: Seal | undefined,
  rows: Map<string, SealedRow>,
  deleted: Set<string>
): string[] {
  const isExcused = (accountId: string | null) => isExpired(seal) || (accountId !== null && deleted.has(accountId))
  const backdated = new Set(seal.backdated)
  const problems = (seal.leaves ?? []).flatMap(({ id, accountId, digest }) => {
    const found = rows.get(id)
    if (!found) return isExcused(accountId) ? [] : [`event ${id}: was removed`]
    if (!digest.equals(digestOf(found.row))) return [`event ${id}: was changed`]
    // Version 0.2 made seals that do not list them.
    if (isBackdated(found, before)) backdated.add(id)
    return []
  })
  return [...problems, ...[...backdated].map(id => `event ${id}: was inserted later than it claims`)]
}

export function anchorProblems (anchor: string | undefined, seals: Map<number, string>): string[] {
  if (anchor === undefined) return []
  const [number] = anchor.split(':')
  const found = seals.get(Number(number))
  if (found === anchor) return []
  return [found ? `seal ${number}: is not the one of the anchor` : `seal ${number} of the anchor is missing`]
}
