import type { Counters } from './counters.ts'

/** Uses the shared counters while they answer, and this instance's own while they do not. */
export function createFailoverCounters (shared: Counters, own: Counters, link: { usable: boolean, failed (error: unknown): void }): Counters {
  async function either<T> (work: (counters: Counters) => Promise<T>): Promise<T> {
    if (!link.usable) return work(own)
    try {
      return await work(shared)
    } catch (error) {
      link.failed(error)
      return work(own)
    }
  }

  return {
    take: (key, windowMs) => either(counters => counters.take(key, windowMs)),
    giveBack: taken => either(counters => counters.giveBack(taken)),
  }
}
