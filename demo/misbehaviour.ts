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

/** Errors that a client notices only if it verifies the ID token and the issuer. */
export const MISBEHAVIOURS_OF_C = {
  ...MISBEHAVIOURS_OF_A,
  'other-issuer': 'The redirect names another issuer',
  'wrong-nonce': 'The ID token has the nonce of another sign-in',
  'wrong-audience': 'The ID token is for another client',
  'wrong-issuer': 'The ID token is of another issuer',
  'bad-signature': 'The ID token is signed with another key',
  'no-auth-time': 'The ID token does not tell when the user signed in',
} as const

export type Misbehaviour = keyof typeof MISBEHAVIOURS_OF_B | keyof typeof MISBEHAVIOURS_OF_C
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
