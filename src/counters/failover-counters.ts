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
    fail: (attempt, limit) => either(counters => counters.fail(attempt, limit)),
    peek: key => either(counters => counters.peek(key)),
    clear: key => either(counters => counters.clear(key)),
    release: attempt => either(counters => counters.release(attempt)),
  }
}
