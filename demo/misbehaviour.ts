import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The errors that a provider can simulate, with their labels on the consent page. */
export const MISBEHAVIOURS_OF_A = {
  'no-email': 'The account has no email address',
  'unverified-email': 'The email address is not verified',
  'access-denied': 'Access is denied',
  'wrong-state': 'The redirect has a wrong state',
  'error-in-200': 'The token endpoint refuses the code with status 200',
  'token-500': 'The token endpoint responds with status 500',
  'slow-token': 'The token endpoint takes six seconds',
  'userinfo-reset': 'The userinfo endpoint drops the connection',
} as const

export const MISBEHAVIOURS_OF_B = {
  ...MISBEHAVIOURS_OF_A,
  'email-only-in-list': 'The email address is only in the list of emails',
  'private-email': 'The email address is private, on page 2 of the list',
} as const

export type Misbehaviour = keyof typeof MISBEHAVIOURS_OF_B
export type Misbehaviours = Readonly<Partial<Record<Misbehaviour, string>>>

/** Longer than the service waits. */
const DELAY_MS = 6_000

export async function delayResponse (socket: Socket) {
  const done = new AbortController()
  await Promise.race([
    sleep(DELAY_MS, undefined, { signal: done.signal }),
    once(socket, 'close', { signal: done.signal }),
  ]).finally(() => done.abort())
}
