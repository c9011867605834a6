import { createHash } from 'node:crypto'

/** An event under a seal. The digest stays when the event is deleted. */
export interface Leaf { id: string, accountId: string | null, digest: Buffer }

export interface SealContent {
  number: number
  sealedAt: Date
  /** Times of the oldest and the newest event. */
  oldest: Date
  newest: Date
  /** The number of the next transaction, when the seal was made. */
  nextXid: string
  events: number
  eventsHash: Buffer
  /** The hash of the seal before. */
  previous: Buffer
  /** Ids of events that claim to be older than the seal before. */
  backdated: string[] | null
}

export interface Seal extends SealContent {
  hash: Buffer
  /** Undefined once the events have expired. */
  leaves?: Leaf[]
}

/** A row as it is now. */
export interface SealedRow { id: string, row: string, accountId: string | null, at: Date, xid: string }

const DIGEST_LENGTH = 32

/** Before the first seal. */
export const BEGINNING = Buffer.alloc(DIGEST_LENGTH)

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** The digest of a row as PostgreSQL writes it. Its random salt prevents guesses at its content. */
export const digestOf = (row: string): Buffer => sha256(row)

export const hashOfEvents = (leaves: Leaf[]): Buffer =>
  sha256(leaves.map(({ id, accountId, digest }) => `${id}:${accountId ?? ''}:${digest.toString('hex')}`).join('\n'))

/** Without backdated events it is the hash of version 0.2. */
export function hashOfSeal (content: SealContent): Buffer {
  const { number, sealedAt, oldest, newest, nextXid, events, eventsHash, previous, backdated } = content
  return sha256(JSON.stringify([
    'gatehouse audit 1', number, sealedAt, oldest, newest, nextXid, events,
    eventsHash.toString('hex'), previous.toString('hex'), ...(backdated ? [backdated] : []),
  ]))
}

/**
 * Between the time of an event and its transaction number: a transaction may begin before its first write, and the
 * clocks of PostgreSQL and of instances may differ.
 */
export const TOLERANCE = 60 * 60_000

/** Whether it claims to be older than the seal before it, although its transaction began after that one was made. */
export function isBackdated ({ xid, at }: SealedRow, before: SealContent | undefined): boolean {
  return before !== undefined && BigInt(xid) >= BigInt(before.nextXid) &&
    at.getTime() < before.sealedAt.getTime() - TOLERANCE
}

export const joinDigests = (leaves: Leaf[]): Buffer => Buffer.concat(leaves.map(({ digest }) => digest))

/** The digests of these events, one after another. */
export function leavesOf (ids: string[], accounts: Array<string | null>, digests: Buffer): Leaf[] {
  return ids.map((id, index) => ({
    id,
    accountId: accounts[index] ?? null,
    digest: digests.subarray(index * DIGEST_LENGTH, (index + 1) * DIGEST_LENGTH),
  }))
}

/** As `gatehouse audit anchor` prints it: number and hash. */
export const anchorOf = ({ number, hash }: { number: number, hash: Buffer }) => `${number}:${hash.toString('hex')}`
