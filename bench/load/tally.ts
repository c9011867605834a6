import type { Answer } from './connection.ts'
import type { Outcome } from './job.ts'

/** Counts answers as they come; of their text nothing is kept. */
export function createTally () {
  const times: number[] = []
  const statuses: Record<string, number> = {}
  let served = 0
  let withRetryAfter = 0
  let first = 0
  let last = 0

  return {
    add ({ status, head, ms }: Answer) {
      statuses[status] = (statuses[status] ?? 0) + 1
      times.push(ms)
      if (status >= 400 && /\r\nretry-after: \d/i.test(head)) withRetryAfter++
      if (status < 200 || status > 299) return
      last = performance.now()
      if (served++ === 0) first = last
    },

    summary (): Omit<Outcome, 'unanswered' | 'cookies'> {
      times.sort((a, b) => a - b)
      const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN
      // From the first answer to the last: what is still under way at either end counts for neither.
      return { rate: (served - 1) / (last - first) * 1_000, p50: at(0.5), p99: at(0.99), slowest: at(1), statuses, withRetryAfter }
    },
  }
}
