import type { Contender } from '../contenders/contenders.ts'
import type { Load } from '../load/generator.ts'
import type { Outcome } from '../load/job.ts'
import { judged } from '../figures/rounds.ts'
import { signIns } from './sign-ins.ts'

export const FLOOD = 1_000

/** Many logins at the same moment. */
export const flood = (contender: Contender, load: Load): Promise<Outcome> =>
  signIns(contender, load, { connections: FLOOD, seconds: 0 })

/** Each is answered, or refused with `Retry-After`. */
export function judgeFlood ({ statuses, withRetryAfter, unanswered, slowest }: Outcome) {
  const { 200: served = 0, 503: refused = 0, ...others } = statuses
  const lost = unanswered + Object.values(others).reduce((sum, count) => sum + count, 0) + refused - withRetryAfter
  return {
    ratio: judged(`flood of ${FLOOD} logins: neither served nor 503 with Retry-After`, [lost], { atMost: 0 }),
    note: `Of ${FLOOD} logins at the same moment, ${served} succeeded, ${refused} were refused with 503 and ` +
      `Retry-After, ${unanswered} got no response and ${statuses[500] ?? 0} got a 500. ` +
      `The last response came after ${(slowest / 1_000).toFixed(1)} s.`,
  }
}
