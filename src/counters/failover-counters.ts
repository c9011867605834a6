import type { Counters } from './counters.ts'

interface Link { usable: boolean, failed (error: unknown): void }

/** Uses the shared counters while they answer, and those of this instance while they do not. */
export function createFailoverCounters (shared: Counters, local: Counters, link: Link): Counters {
  async function either<T> (work: (counters: Counters) => Promise<T>): Promise<T> {
    if (!link.usable) return work(local)
    try {
      return await work(shared)
    } catch (error) {
      link.failed(error)
      return work(local)
    }
  }

  return {
    take: (key, windowMs) => either(counters => counters.take(key, windowMs)),
    begin: (attempt, limit) => either(counters => counters.begin(attempt, limit)),
    /** This instance remembers it too: an attempt that began without the shared counters may end with them. */
    async fail (attempt, limit) {
      const own = await local.fail(attempt, limit)
      return link.usable ? shared.fail(attempt, limit).catch(error => { link.failed(error); return own }) : own
    },

    list: isWanted => either(counters => counters.list(isWanted)),
    peek: key => either(counters => counters.peek(key)),

    async clear (key) {
      const hadOwn = await local.clear(key)
      return await either(counters => counters.clear(key)) || hadOwn
    },

    async release (attempt) {
      await local.release(attempt)
      await either(counters => counters.release(attempt))
    },
  }
}
