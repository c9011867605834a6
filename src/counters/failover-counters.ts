import type { Counters } from './counters.ts'

interface Link { usable: boolean, failed (error: unknown): void }

/** Uses the shared counters, and this instance's own while the shared ones are unavailable. */
export function createFailoverCounters (shared: Counters, own: Counters, link: Link): Counters {
  async function withFailover<T> (work: (counters: Counters) => Promise<T>): Promise<T> {
    if (!link.usable) return work(own)
    try {
      return await work(shared)
    } catch (error) {
      link.failed(error)
      return work(own)
    }
  }

  return {
    take: (key, windowMs) => withFailover(counters => counters.take(key, windowMs)),
    giveBack: hit => withFailover(counters => counters.giveBack(hit)),
  }
}
