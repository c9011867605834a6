import type { Answer } from './connection.ts'
import type { Outcome } from './job.ts'

/** Of the time of a job. Until then connections are in step with each other: their answers come in bursts. */
const SETTLED = 0.25

/** Counts answers as they come; of their text nothing is kept. */
export function createTally () {
  const times: number[] = []
  const statuses: Record<string, number> = {}
  const servedAt: number[] = []
  let withRetryAfter = 0

  return {
    add ({ status, head, ms }: Answer) {
      statuses[status] = (statuses[status] ?? 0) + 1
      times.push(ms)
      if (status >= 200 && status <= 299) servedAt.push(performance.now())
      else if (status >= 400 && /\r\nretry-after: \d/i.test(head)) withRetryAfter++
    },

    summary (began: number, ended: number): Omit<Outcome, 'unanswered' | 'cookies'> {
      times.sort((a, b) => a - b)
      const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN
      return {
        rate: steadyRate(servedAt, began, ended),
        p50: at(0.5),
        p99: at(0.99),
        slowest: at(1),
        statuses,
        withRetryAfter,
      }
    },
  }
}

/** How many happened in a second, from when the work had settled until no more was begun. */
export function steadyRate (moments: number[], began: number, ended: number): number {
  const from = began + (ended - began) * SETTLED
  return (moments.filter(moment => moment > from && moment <= ended).length / (ended - from)) * 1_000
}
