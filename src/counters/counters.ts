import { randomUUID } from 'node:crypto'

/** One counted hit, the count of its window so far, and the time until the window ends. */
export interface Hit {
  key: string
  count: number
  resetMs: number
  /** The id of the window. A hit can be given back only to the window that counted it. */
  window: string
}

/** Counts hits in fixed windows. A window starts with its first hit. */
export interface Counters {
  take (key: string, windowMs: number): Promise<Hit>
  giveBack (hit: Hit): Promise<void>
}

interface Entry { count: number, window: string, endsAt: number }

/** Beyond this, the oldest keys are dropped: a flood of addresses must not fill the memory. */
const MAX_KEYS = 100_000

export function createMemoryCounters (now: () => number = Date.now): Counters {
  const entries = new Map<string, Entry>()

  function openWindow (key: string, windowMs: number): Entry {
    const entry = { count: 0, window: randomUUID(), endsAt: now() + windowMs }
    entries.delete(key)
    entries.set(key, entry)
    if (entries.size > MAX_KEYS) evict()
    return entry
  }

  function evict () {
    for (const [key, entry] of entries) if (entry.endsAt <= now()) entries.delete(key)
    for (const key of entries.keys()) {
      if (entries.size <= MAX_KEYS * 0.9) break
      entries.delete(key)
    }
  }

  return {
    async take (key, windowMs) {
      const current = entries.get(key)
      const entry = current && current.endsAt > now() ? current : openWindow(key, windowMs)
      entry.count++
      return { key, count: entry.count, resetMs: entry.endsAt - now(), window: entry.window }
    },

    async giveBack ({ key, window }) {
      const entry = entries.get(key)
      if (entry?.window === window && entry.count > 0) entry.count--
    },
  }
}
