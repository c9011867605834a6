import type { Answer } from './connection.ts'
import type { Outcome } from './job.ts'

/** The share of a job that is not counted: all connections start together, and at first respond in bursts. */
const SETTLED = 0.25

/** Counts the responses. */
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

/**
 * Events a second, from the first one of the settled part to the first one after the end. Events in bursts (passwords
 * that began together) would be counted once too often or too seldom in a time that is not a multiple of theirs.
 */
export function steadyRate (moments: number[], began: number, ended: number): number {
  const settled = moments.filter(moment => moment > began + (ended - began) * SETTLED)
  const after = settled.findIndex(moment => moment > ended)
  const counted = after === -1 ? settled : settled.slice(0, after + 1)
  const time = (counted.at(-1) ?? 0) - (counted[0] ?? 0)
  return time > 0 ? ((counted.length - 1) / time) * 1_000 : 0
}
