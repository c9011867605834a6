import type { Load } from '../load/generator.ts'
import type { Cookies, Job, Outcome } from '../load/job.ts'

/** Refreshes sessions, each on a connection of its own, for a number of seconds. Each round goes on with the tokens. */
export function createRefresher (load: Load, port: number, tokens: string[], seconds: number, prove?: Job['prove']) {
  let cookies: Cookies[] = tokens.map(value => ({ refresh_token: value }))

  return async function refreshes (): Promise<Outcome> {
    const outcome = await load({
      port,
      method: 'POST',
      path: '/api/auth/refresh',
      cookies,
      keep: ['access_token', 'refresh_token'],
      prove,
      connections: tokens.length,
      seconds,
    })
    if (Object.keys(outcome.statuses).join() !== '200') {
      throw new Error(`refreshes were refused: ${JSON.stringify(outcome.statuses)}`)
    }
    cookies = outcome.cookies
    return outcome
  }
}
