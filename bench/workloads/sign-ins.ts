import type { Contender } from '../contenders/contenders.ts'
import type { Load } from '../load/generator.ts'
import type { Cookies, Job, Outcome } from '../load/job.ts'

/** The browsers of the accounts in each database. */
const browsers = new Map<string, Cookies[]>()

/**
 * Logins, each of another account as long as there are any, from browsers that are known to them after the
 * first. With few accounts, their many sessions and a mail for each login would be measured.
 */
export async function signIns (
  { database, signIn }: Contender,
  load: Load,
  how: Pick<Job, 'connections' | 'seconds' | 'rate'>
): Promise<Outcome> {
  const outcome = await load({ ...signIn, cookies: browsers.get(database), ...how })
  if (signIn.keep) browsers.set(database, outcome.cookies)
  return outcome
}

/** The same, and all must succeed. */
export async function successfulSignIns (...how: Parameters<typeof signIns>): Promise<Outcome> {
  const outcome = await signIns(...how)
  if (Object.keys(outcome.statuses).join() !== '200') {
    throw new Error(`logins at ${how[0].signIn.path} were refused: ${JSON.stringify(outcome.statuses)}`)
  }
  return outcome
}
