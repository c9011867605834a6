import { Overloaded } from '../errors.ts'

interface Waiter<T> {
  resolve (value: T): void
  reject (error: unknown): void
}

interface Line<T> {
  waiters: Set<Waiter<T>>
  wake (): void
}

interface Options<T> {
  /** Returns undefined for "not yet". What it throws refuses everybody in the line of this key. */
  attempt (key: string): Promise<T | undefined>
  /** Takes back a value whose waiter left meanwhile. */
  abandon (value: T): Promise<void>
}

/** Attempts that other instances decide are not announced: the first in line asks again after this time. */
const RETRY_MS = 150
const MAX_WAITING_PER_KEY = 256
const MAX_WAITING = 2_000

/** Lets the callers of a key wait, first come first served, until `attempt` has a value for the first of them. */
export function createWaitingLine<T> ({ attempt, abandon }: Options<T>) {
  const lines = new Map<string, Line<T>>()
  let waiting = 0

  async function serve (key: string, line: Line<T>) {
    try {
      while (line.waiters.size > 0) {
        const woken = Promise.withResolvers<void>()
        line.wake = woken.resolve
        const value = await attempt(key)
        const [first] = line.waiters
        if (value === undefined) await wakeAfter(RETRY_MS, woken)
        else if (first) first.resolve(value)
        else await abandon(value)
      }
    } catch (error) {
      for (const waiter of line.waiters) waiter.reject(error)
    } finally {
      lines.delete(key)
    }
  }

  function join (line: Line<T>, signal: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const waiter = {
      resolve (value: T) {
        leave()
        resolve(value)
      },
      reject (error: unknown) {
        leave()
        reject(error)
      },
    }
    const giveUp = () =>
      waiter.reject(new Overloaded('logins waited too long for others of their client', signal.reason))
    function leave () {
      signal.removeEventListener('abort', giveUp)
      if (line.waiters.delete(waiter)) waiting--
    }
    line.waiters.add(waiter)
    waiting++
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
    return promise
  }

  return {
    async wait (key: string, signal: AbortSignal): Promise<T> {
      const known = lines.get(key)
      // The first of a key always tries once: those that wait elsewhere must not refuse it.
      if (known && (waiting >= MAX_WAITING || known.waiters.size >= MAX_WAITING_PER_KEY)) {
        throw new Overloaded('too many logins wait for others of their client')
      }
      if (known) return join(known, signal)

      const line: Line<T> = { waiters: new Set(), wake () {} }
      lines.set(key, line)
      const value = join(line, signal)
      serve(key, line)
      return value
    },

    /** An attempt with this key was decided: the first in line tries next. */
    wake (key: string) {
      lines.get(key)?.wake()
    },
  }
}

async function wakeAfter (ms: number, { promise, resolve }: PromiseWithResolvers<void>) {
  const timer = setTimeout(resolve, ms)
  await promise
  clearTimeout(timer)
}
