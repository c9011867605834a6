import { randomUUID } from 'node:crypto'

/** One use in a fixed window: how many uses the window has counted, and how long it still lasts. */
interface Use { count: number, resetMs: number }

/** At most `max` attempts fail in a window. Those under way count as failed until they are decided. */
export interface AttemptLimit {
  max: number
  windowMs: number
  /** An attempt that is not decided by then no longer counts: its instance may have died. */
  leaseMs: number
}

/** An attempt under way. */
export interface Attempt { key: string, id: string }

/**
 * `started`: the attempt is under way. `busy`: too many are under way to start another now.
 * `refused`: the limit is reached until the window ends.
 */
export interface AttemptState { state: 'started' | 'busy' | 'refused', failed: number, resetMs: number }

export interface Failures { failed: number, resetMs: number }

/** `isComplete`: false if there may be more. */
interface CounterList { counters: Array<Use & { key: string }>, isComplete: boolean }

export interface Counters {
  /** Counts one use in a fixed window, which the first use begins. */
  take (key: string, windowMs: number): Promise<Use>
  begin (attempt: Attempt, limit: AttemptLimit): Promise<AttemptState>
  /** Decides an attempt: it failed. Also counts a failure that was not begun. */
  fail (attempt: Attempt, limit: AttemptLimit): Promise<Failures>
  /** What a key has counted in its window, if there is one. */
  peek (key: string): Promise<Use | undefined>
  /** What the keys that `isWanted` names have counted. Looks at a bounded number of keys. */
  list (isWanted: (key: string) => boolean): Promise<CounterList>
  /** Returns whether there was something to delete. */
  clear (key: string): Promise<boolean>
  /** Decides an attempt: it does not count. */
  release (attempt: Attempt): Promise<void>
}

export const newAttempt = (key: string): Attempt => ({ key, id: randomUUID() })
