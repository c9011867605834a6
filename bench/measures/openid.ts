import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Bench } from '../bench.ts'
import { NO_LIMITS, startGatehouse } from '../contenders/contenders.ts'
import { fillSessions } from '../data/sessions.ts'
import { createCosts } from '../figures/costs.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { createAsk, rateOf, type Answered, type Ask, type Step } from '../workloads/openid.ts'

/** As many as the service has connections to PostgreSQL. */
const CONCURRENCY = 10
const WARM_UP = 4
const CALLBACK = 'https://app.example.org/callback'
const VERIFIER = 'a'.repeat(43)

function expected ({ status, body }: Answered, wanted: number, what: string) {
  if (status !== wanted) throw new Error(`${what} gave ${status}: ${body}`)
}

/** What an application asks for, beside a refresh of our own with the same HTTP client. */
export async function measureOpenid (bench: Bench): Promise<Result[]> {
  const { options: { rounds, seconds }, stage } = bench
  const settings = { ...NO_LIMITS, OPENID: 'on' }
  const gatehouse = await bench.start(startGatehouse(stage, bench.service.program, 10, settings))
  const { database, port } = gatehouse
  const [id, secret] = [randomUUID(), randomBytes(32).toString('base64url')]
  await stage.query(database, `
    INSERT INTO applications (id, name, kind, redirect_uris, trusted) VALUES ($1, 'Orders', 'web', $2, true)`,
  [id, [CALLBACK]])
  await stage.query(database, 'INSERT INTO application_secrets (application_id, digest) VALUES ($1, $2)',
    [id, createHash('sha256').update(secret).digest()])
  const authorization = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
  const counts = { users: 1_000, sessions: 2 * CONCURRENCY, sample: 2 * CONCURRENCY }
  const sessions = await fillSessions(stage, database, counts)
  const cookies = sessions.map(value => `refresh_token=${value}`)

  const request = new URLSearchParams({
    client_id: id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })

  /** A sign-in of a user who has a session: the request of the browser, and the exchange of the code. */
  async function signIn (ask: Ask, cookie: string): Promise<{ access_token: string, refresh_token: string }> {
    const back = await ask({ path: `/oidc/auth?${request}`, cookie })
    expected(back, 303, 'the request for a code')
    const exchanged = await ask({
      path: '/oidc/token',
      headers: authorization,
      form: {
        grant_type: 'authorization_code',
        code: new URL(String(back.headers.location)).searchParams.get('code') ?? '',
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      },
    })
    expected(exchanged, 200, 'the exchange of the code')
    return JSON.parse(exchanged.body)
  }

  const ours = cookies.slice(0, CONCURRENCY)
  const applications = cookies.slice(CONCURRENCY)
  const tokens = await Promise.all(applications.map(cookie => signIn(createAsk(port), cookie)))

  const refreshOfOurs = ours.map((_, index): Step => async ask => {
    const answer = await ask({ path: '/api/auth/refresh', method: 'POST', cookie: ours[index] })
    expected(answer, 200, 'a refresh of ours')
    ours[index] = (answer.headers['set-cookie'] ?? []).map(each => each.split(';')[0]).join('; ')
  })
  const refresh = tokens.map((token): Step => async ask => {
    const form = { grant_type: 'refresh_token', refresh_token: token.refresh_token }
    const answer = await ask({ path: '/oidc/token', headers: authorization, form })
    expected(answer, 200, 'a refresh')
    Object.assign(token, JSON.parse(answer.body))
  })
  const introspection = tokens.map((token): Step => async ask => {
    const answer = await ask({ path: '/oidc/introspect', headers: authorization, form: { token: token.access_token } })
    if (!answer.body.includes('"active":true')) throw new Error(`introspection gave ${answer.body}`)
  })
  const userinfo = tokens.map((token): Step => async ask => {
    const headers = { authorization: `Bearer ${token.access_token}` }
    expected(await ask({ path: '/oidc/userinfo', headers }), 200, 'userinfo')
  })
  const signIns = applications.map((cookie): Step => async ask => { await signIn(ask, cookie) })

  const kinds = Object.entries({
    'our own refresh': refreshOfOurs,
    'refresh of an application': refresh,
    introspection,
    userinfo,
    'code and exchange': signIns,
  }).map(([name, steps]) => ({ name, steps, costs: createCosts(stage, { Gatehouse: gatehouse.processorTime }) }))
  const rates = await alternate({ warmUp: WARM_UP, rounds }, Object.fromEntries(
    kinds.map(({ name, steps, costs }) =>
      [name, async () => (await costs.during(() => rateOf(port, steps, seconds))).rate])
  ), bench.progress)

  const against = (kind: string, atLeast?: number) => ratio(`${kind} ÷ our own refresh`,
    rates[kind] as number[], rates['our own refresh'] as number[], atLeast ? { atLeast } : undefined)
  return [{
    id: 'openid',
    title: 'OpenID provider',
    ratios: [
      against('refresh of an application', 0.4),
      against('introspection', 0.6),
      against('userinfo'),
      against('code and exchange'),
    ],
    figures: [
      ...Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
      ...kinds.flatMap(({ name, costs }) => costs.figures(name, WARM_UP)),
    ],
    notes: [
      'All of them with the HTTP client of one process of Node, which takes part of the processors.',
      "Keycloak's sizing guide counts one core for 120 refreshes a second.",
    ],
  }]
}
