import { foldLogin } from '../limits/keys.ts'
import { createQueue } from './bounded-queue.ts'
import { createOneAtATime } from './one-at-a-time.ts'

/**
 * Who gave a password: the login name as typed, and the browser if it has signed in to the account before.
 * At a registration it is the client: it can choose a new login name each time.
 */
export type Claimant = { login: string, browser?: { id: string, user: { id: string } } } | { client: string }

interface Options {
  /** Milliseconds after which one that still waits is refused. */
  timeout: number
  /** How many passwords the hashing queue hashes at once. */
  threads: number
}

/** About as many as can be checked before they have waited too long. Waiting costs no more than the connection. */
const MAX_WAITING = 100

/**
 * Gives each account one place of the hashing queue, so that a flood for one account delays no other one.
 * By the login as typed, so that an account that does not exist is treated like one that does.
 * Known browsers have a place of their own, and each of them waits for it once: strangers cannot fill it.
 * All registrations together have as many places as half of the threads: a flood of them delays no login.
 */
export function createAccountShares ({ timeout, threads }: Options) {
  const inTurn = createOneAtATime({ name: 'passwords of one account', maxWaiting: MAX_WAITING, timeout })
  const registrations = createQueue({
    name: 'registrations', maxRunning: Math.ceil(threads / 2), maxWaiting: MAX_WAITING, timeout,
  })

  return function run<T> (claimant: Claimant, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if ('client' in claimant) {
      return inTurn(`client:${claimant.client}`, () => registrations.run(work, signal), signal)
    }
    const { login, browser } = claimant
    if (!browser) return inTurn(`login:${foldLogin(login)}`, work, signal)
    const { id, user } = browser
    return inTurn(`browser:${id}:${user.id}`, () => inTurn(`known:${user.id}`, work, signal), signal)
  }
}
