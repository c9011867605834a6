import { randomUUID } from 'node:crypto'

/** One use that was counted: how many there are in its window, and how long that window lasts still. */
export interface Taken {
  key: string
  count: number
  resetMs: number
  /** The window that counted it. Given back to a later window, it would be one too many. */
  window: string
}

/** Counts uses in fixed windows, each begun by its first use. */
export interface Counters {
  take (key: string, windowMs: number): Promise<Taken>
  giveBack (taken: Taken): Promise<void>
}

interface Entry { count: number, window: string, endsAt: number }

/** Beyond this many keys the oldest go: a flood of addresses must not fill the memory. */
const MAX_KEYS = 100_000

export function createMemoryCounters (now: () => number = Date.now): Counters {
  const entries = new Map<string, Entry>()

  function begin (key: string, windowMs: number): Entry {
    const entry = { count: 0, window: randomUUID(), endsAt: now() + windowMs }
    entries.delete(key)
    entries.set(key, entry)
    if (entries.size > MAX_KEYS) sweep()
    return entry
  }

  function sweep () {
    for (const [key, entry] of entries) if (entry.endsAt <= now()) entries.delete(key)
    for (const key of entries.keys()) {
      if (entries.size <= MAX_KEYS * 0.9) break
      entries.delete(key)
    }
  }

  return {
    async take (key, windowMs) {
      const current = entries.get(key)
      const entry = current && current.endsAt > now() ? current : begin(key, windowMs)
      entry.count++
      return { key, count: entry.count, resetMs: entry.endsAt - now(), window: entry.window }
    },

    async giveBack ({ key, window }) {
      const entry = entries.get(key)
      if (entry?.window === window && entry.count > 0) entry.count--
    },
  }
}
