// How long tests wait. No test reads the speed of the machine: a limit only ends what hangs, and says where.
import { setTimeout as sleep } from 'node:timers/promises'

/** In milliseconds: far more than anything takes that works, also on a busy machine. */
export const WAIT_LIMIT = 30_000
/** For tests of the night that take minutes. */
export const HANG_TIMEOUT = 900_000
const PAUSE = 25
const LATE = Symbol('late')

/** Resolves as the promise does. If that takes longer than the limit, the error has the stack of what waits. */
export async function inTime<T> (promise: Promise<T> | T, what: string, limit = WAIT_LIMIT): Promise<T> {
  const hung = new Error(`${what}: not within ${limit / 1_000} s`)
  const over = new AbortController()
  try {
    const result = await Promise.race([promise, sleep(limit, LATE, { signal: over.signal })])
    if (result === LATE) throw hung
    return result as T
  } finally {
    over.abort()
  }
}

/** Repeats a call until its result is as expected. */
export async function eventually<T> (
  ask: () => Promise<T> | T,
  wished: (answer: T) => boolean,
  limit = WAIT_LIMIT
): Promise<T> {
  const waiting = new Error('what is expected did not happen')
  const began = performance.now()
  for (;;) {
    const left = Math.max(0, began + limit - performance.now())
    const answer = await inTime(ask(), 'no answer', left + PAUSE)
    if (wished(answer)) return answer
    if (left === 0) {
      waiting.message = `not within ${limit / 1_000} s; last: ${JSON.stringify(answer)}`
      throw waiting
    }
    await sleep(PAUSE)
  }
}
