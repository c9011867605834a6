import type { Counters } from './counters.ts'

interface Window { count: number, endsAt: number }
interface Attempts { failed: number, endsAt: number, running: Map<string, number> }

/** Above this number of keys the oldest are dropped: a flood of addresses must not fill the memory. */
const MAX_KEYS = 100_000

export function createMemoryCounters (now: () => number = Date.now): Counters {
  const windows = createBoundedMap<Window>(({ endsAt }) => endsAt <= now())
  const attempts = createBoundedMap<Attempts>(({ endsAt, running }) =>
    endsAt <= now() && [...running.values()].every(expiresAt => expiresAt <= now()))

  /** The attempts of a key, without a window that has ended and leases that have expired. */
  function attemptsOf (key: string): Attempts {
    const current = attempts.get(key) ?? attempts.add(key, { failed: 0, endsAt: 0, running: new Map() })
    if (current.endsAt <= now()) current.failed = 0
    for (const [id, expiresAt] of current.running) if (expiresAt <= now()) current.running.delete(id)
    return current
  }

  async function peek (key: string) {
    const window = windows.get(key)
    if (window && window.endsAt > now()) return { count: window.count, resetMs: window.endsAt - now() }
    const { failed = 0, endsAt = 0 } = attempts.get(key) ?? {}
    return failed > 0 && endsAt > now() ? { count: failed, resetMs: endsAt - now() } : undefined
  }

  return {
    peek,

    async list (isWanted) {
      const keys = [...windows.keys(), ...attempts.keys()].filter(isWanted)
      const found = await Promise.all(keys.map(async key => ({ key, use: await peek(key) })))
      return { counters: found.flatMap(({ key, use }) => use ? [{ key, ...use }] : []), isComplete: true }
    },

    async take (key, windowMs) {
      const known = windows.get(key)
      const window = known && known.endsAt > now() ? known : windows.add(key, { count: 0, endsAt: now() + windowMs })
      window.count++
      return { count: window.count, resetMs: window.endsAt - now() }
    },

    async begin ({ key, id }, { max, leaseMs }) {
      const current = attemptsOf(key)
      const { failed, running, endsAt } = current
      const state = failed >= max ? 'refused' : failed + running.size >= max ? 'busy' : 'started'
      if (state === 'started') running.set(id, now() + leaseMs)
      return { state, failed, resetMs: Math.max(0, endsAt - now()) }
    },

    async fail ({ key, id }, { windowMs }) {
      const current = attemptsOf(key)
      current.running.delete(id)
      if (current.failed === 0) current.endsAt = now() + windowMs
      current.failed++
      return { failed: current.failed, resetMs: current.endsAt - now() }
    },

    async clear (key) {
      const hadWindow = windows.remove(key)
      return attempts.remove(key) || hadWindow
    },

    async release ({ key, id }) {
      attempts.get(key)?.running.delete(id)
    },
  }
}

function createBoundedMap<T> (isOver: (entry: T) => boolean) {
  const entries = new Map<string, T>()

  function makeRoom () {
    for (const [key, entry] of entries) if (isOver(entry)) entries.delete(key)
    for (const key of entries.keys()) {
      if (entries.size <= MAX_KEYS * 0.9) break
      entries.delete(key)
    }
  }

  return {
    get: (key: string) => entries.get(key),
    keys: () => entries.keys(),
    remove: (key: string) => entries.delete(key),

    add (key: string, entry: T): T {
      entries.delete(key)
      // A copy: V8 keeps the whole header for a key that was cut from it.
      entries.set(structuredClone(key), entry)
      if (entries.size > MAX_KEYS) makeRoom()
      return entry
    },
  }
}
