import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a provider can be told to do wrong, in the words of its page. */
export const MISBEHAVIOURS_OF_A = {
  'no-email': 'The account has no email',
  'unverified-email': 'The email is not verified',
  'access-denied': 'Access is denied',
  'wrong-state': 'The redirect carries another state',
  'error-in-200': 'The code is refused, with status 200',
  'token-500': 'The token endpoint answers 500',
  'slow-token': 'The token endpoint takes six seconds',
  'userinfo-reset': 'The profile endpoint drops the connection',
} as const

export const MISBEHAVIOURS_OF_B = {
  ...MISBEHAVIOURS_OF_A,
  'email-only-in-list': 'The email stands only in the list of emails',
  'private-email': 'The email is private, on page 2 of the list',
} as const

export type Misbehaviour = keyof typeof MISBEHAVIOURS_OF_B
export type Misbehaviours = Readonly<Partial<Record<Misbehaviour, string>>>

/** Longer than the service waits. */
const SLOW_MS = 6_000

export async function dawdle (socket: Socket) {
  const over = new AbortController()
  await Promise.race([
    sleep(SLOW_MS, undefined, { signal: over.signal }),
    once(socket, 'close', { signal: over.signal }),
  ]).finally(() => over.abort())
}
