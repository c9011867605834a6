import type { Bench } from '../bench.ts'
import { addApplication, addMachine, expected, OPENID_SETTINGS } from '../contenders/application.ts'
import { BROWSERS, NO_LIMITS, startGatehouse } from '../contenders/contenders.ts'
import { fillSessions } from '../data/sessions.ts'
import { createCosts } from '../figures/costs.ts'
import type { Result } from '../figures/results.ts'
import { alternate, median, ratio, spread } from '../figures/rounds.ts'
import { cookiesOf, createAsk, rateOf, type Ask, type Step } from '../workloads/openid.ts'
import { signIns } from '../workloads/sign-ins.ts'

/** As many as the service has connections to PostgreSQL. */
const CONCURRENCY = 10
const WARM_UP = 4
const OURS = 'our own refresh'

/** What an application asks for, beside a refresh of our own with the same HTTP client. */
export async function measureOpenid (bench: Bench): Promise<Result[]> {
  const { options: { rounds, seconds }, stage } = bench
  const settings = { ...NO_LIMITS, ...OPENID_SETTINGS }
  const gatehouse = await bench.start(startGatehouse(stage, bench.service.program, 10, settings))
  const { database, port } = gatehouse
  const application = await addApplication(stage, database)
  const { headers } = application
  const machine = await addMachine(stage, database)
  const counts = { users: 1_000, sessions: 2 * CONCURRENCY, sample: 2 * CONCURRENCY }
  const cookies = (await fillSessions(stage, database, counts)).map(value => `refresh_token=${value}`)
  const [ours, theirs] = [cookies.slice(0, CONCURRENCY), cookies.slice(CONCURRENCY)]
  const tokens = await Promise.all(theirs.map(cookie => application.signIn(createAsk(port), cookie)))

  const STEPS: Record<string, Step[]> = {
    [OURS]: ours.map((_, index): Step => async ask => {
      const answer = await ask({ path: '/api/auth/refresh', method: 'POST', cookie: ours[index] })
      ours[index] = cookiesOf(expected(answer, 200, 'a refresh of ours')).join('; ')
    }),
    'refresh of an application': tokens.map((token): Step => async ask => {
      const form = { grant_type: 'refresh_token', refresh_token: token.refresh_token }
      const answer = await ask({ path: '/oidc/token', headers, form })
      Object.assign(token, JSON.parse(expected(answer, 200, 'a refresh').body))
    }),
    introspection: tokens.map((token): Step => async ask => {
      const { body } = await ask({ path: '/oidc/introspect', headers, form: { token: token.access_token } })
      if (!body.includes('"active":true')) throw new Error(`introspection gave ${body}`)
    }),
    userinfo: tokens.map((token): Step => async ask => {
      const authorization = `Bearer ${token.access_token}`
      expected(await ask({ path: '/oidc/userinfo', headers: { authorization } }), 200, 'userinfo')
    }),
    'client credentials': theirs.map((): Step => async ask => {
      const form = { grant_type: 'client_credentials' }
      expected(await ask({ path: '/oidc/token', headers: machine, form }), 200, 'a token for a machine')
    }),
    'code and exchange': theirs.map((cookie): Step => async ask => { await application.signIn(ask, cookie) }),
  }
  const kinds = Object.entries(STEPS).map(([name, steps]) =>
    ({ name, steps, costs: createCosts(stage, { Gatehouse: gatehouse.processorTime }) }))
  const rates = await alternate({ warmUp: WARM_UP, rounds }, Object.fromEntries(
    kinds.map(({ name, steps, costs }) =>
      [name, async () => (await costs.during(() => rateOf(port, steps, seconds))).rate])
  ), bench.progress)

  /** As a browser logs in. Each time another account, which the storm reaches only after a while. */
  let account = gatehouse.signIn.bodies?.length ?? 0
  async function logIn (ask: Ask) {
    const { path, headers, bodies = [] } = gatehouse.signIn
    expected(await ask({ path, headers, json: bodies[--account] }), 200, 'a login')
  }

  /** Milliseconds, while logins use every core. */
  async function timeInStorm (step: Step): Promise<number> {
    const storm = signIns(gatehouse, bench.load, { connections: BROWSERS, seconds: 2 * seconds })
    const ask = createAsk(port)
    const times: number[] = []
    const end = performance.now() + 2_000 * seconds
    try {
      while (performance.now() < end) {
        const began = performance.now()
        await step(ask)
        times.push(performance.now() - began)
      }
    } finally {
      await storm
    }
    return median(times)
  }
  const inStorm = await alternate({ rounds }, {
    'a login': () => timeInStorm(logIn),
    'a login through an application': () => timeInStorm(async ask => {
      await application.signInWithPassword(ask, logIn)
    }),
  }, bench.progress)

  const against = (kind: string, atLeast?: number) => ratio(`${kind} ÷ ${OURS}`,
    rates[kind] as number[], rates[OURS] as number[], atLeast ? { atLeast } : undefined)
  return [{
    id: 'openid',
    title: 'OpenID provider',
    ratios: [
      against('refresh of an application', 0.4),
      against('introspection', 0.6),
      against('userinfo'),
      against('client credentials'),
      against('code and exchange'),
      ratio('while logins use every core, a login through an application ÷ a login, median time',
        inStorm['a login through an application'], inStorm['a login']),
    ],
    figures: [
      ...Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
      ...kinds.flatMap(({ name, costs }) => costs.figures(name, WARM_UP)),
      ...Object.entries(inStorm).map(([label, values]) =>
        ({ label: `${label}, while logins use every core`, unit: 'ms', ...spread(values) })),
    ],
    notes: [
      'All of them with the HTTP client of one process of Node, which takes part of the processors.',
      "Keycloak's sizing guide counts one core for 120 refreshes a second.",
    ],
  }]
}
