import { foldLogin } from '../limits/keys.ts'
import { createOneAtATime } from './one-at-a-time.ts'

/** Who gave a password: the login name as typed, and the browser if it has signed in to the account before. */
export interface Claimant { login: string, browser?: { id: string, user: { id: string } } }

/** About as many as can be checked before they have waited too long. Waiting costs no more than the connection. */
const MAX_WAITING = 100

/**
 * Gives each account one place of the hashing queue, so that a flood for one account delays no other one.
 * By the login as typed, so that an account that does not exist is treated like one that does.
 * Known browsers have a place of their own, and each of them waits for it once: strangers cannot fill it.
 */
export function createAccountShares (timeout: number) {
  const inTurn = createOneAtATime({ name: 'passwords of one account', maxWaiting: MAX_WAITING, timeout })

  return function run<T> ({ login, browser }: Claimant, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!browser) return inTurn(`login:${foldLogin(login)}`, work, signal)
    const { id, user } = browser
    return inTurn(`browser:${id}:${user.id}`, () => inTurn(`known:${user.id}`, work, signal), signal)
  }
}
