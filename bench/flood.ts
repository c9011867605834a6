import type { Contender } from './contenders.ts'
import type { Load } from './load/generator.ts'
import type { Outcome } from './load/job.ts'
import { judged } from './rounds.ts'

export const FLOOD = 1_000

/** So many sign in at the same moment. */
export const flood = ({ signIn }: Contender, load: Load): Promise<Outcome> =>
  load({ ...signIn, keep: undefined, connections: FLOOD, seconds: 0 })

/** Each is served, or told when to come again. */
export function judgeFlood ({ statuses, withRetryAfter, unanswered, slowest }: Outcome) {
  const { 200: served = 0, 503: refused = 0, ...others } = statuses
  const lost = unanswered + Object.values(others).reduce((sum, count) => sum + count, 0) + refused - withRetryAfter
  return {
    ratio: judged(`flood of ${FLOOD} logins: neither served nor 503 with Retry-After`, [lost], { atMost: 0 }),
    note: `Of ${FLOOD} logins at the same moment ${served} were served, ${refused} were told to come again (503 with Retry-After), ${unanswered} hung and ${statuses[500] ?? 0} got a 500; the last had its answer after ${(slowest / 1_000).toFixed(1)} s.`,
  }
}
