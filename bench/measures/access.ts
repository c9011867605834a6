import type { Bench } from '../bench.ts'
import { startBetterAuth, startGatehouse, startPassport, type Contender } from '../contenders/contenders.ts'
import type { Cookies } from '../load/job.ts'
import type { Result } from '../figures/results.ts'
import { startRevoked } from '../contenders/revoked.ts'
import { alternate, inShortRounds, ratio, spread } from '../figures/rounds.ts'
import { startSameResponse } from '../contenders/same-response.ts'
import { accessTokens } from '../data/tokens.ts'

const CONNECTIONS = 16
/** More tokens than a cache of verified tokens holds. */
const MANY = 50_000
const BARE = 'bare node:http, same bytes'
/** Sessions that ended within 15 minutes. */
const REVOKED = 100_000

/** The access check that a front end makes for each request. */
export async function measureAccess (bench: Bench): Promise<Result[]> {
  const { load, stage, start } = bench
  const { warmUp, rounds, seconds } = inShortRounds(bench.options)
  const gatehouse = await start(startGatehouse(stage, bench.service.program, 10))
  const revoked = await start(startRevoked(stage, bench.service.program, REVOKED))
  const cached = await start(startBetterAuth(stage, 10, { cookieCache: true }))
  const asking = await start(startBetterAuth(stage, 10))
  const passport = await start(startPassport(stage, 10))

  const cookiesOf = (tokens: string[]): Cookies[] => tokens.map(token => ({ access_token: token }))
  const few = cookiesOf(accessTokens(CONNECTIONS))
  const many = cookiesOf(accessTokens(MANY))
  const bare = await start(startSameResponse({ ...gatehouse.check, cookies: few[0] }))
  const jars = new Map<Contender, Cookies[]>()
  for (const peer of [cached, asking, passport]) jars.set(peer, [await provenCookies(peer)])

  async function checks ({ check }: Pick<Contender, 'check'>, cookies?: Cookies[]): Promise<number> {
    const { rate, statuses } = await load({ ...check, cookies, connections: CONNECTIONS, seconds })
    if (!/^20[04]$/.test(Object.keys(statuses).join())) {
      throw new Error(`checks at ${check.path} failed: ${JSON.stringify(statuses)}`)
    }
    return rate
  }

  const rates = await alternate(
    { warmUp, rounds },
    {
      [BARE]: () => checks({ check: { ...gatehouse.check, port: bare.port } }, few),
      Gatehouse: () => checks(gatehouse, few),
      'Gatehouse, each time another user': () => checks(gatehouse, many),
      'Gatehouse, 100,000 sessions revoked': () => checks({ check: { ...gatehouse.check, port: revoked.port } }, few),
      'better-auth, cookie cache': () => checks(cached, jars.get(cached)),
      'better-auth': () => checks(asking, jars.get(asking)),
      'express + passport': () => checks(passport, jars.get(passport)),
    },
    bench.progress
  )

  return [
    {
      id: 'access',
      title: 'Access checks',
      ratios: [
        ratio(`access checks ÷ ${BARE}`, rates.Gatehouse, rates[BARE], { atLeast: 0.8 }),
        ratio(
          `access checks ÷ ${BARE}, each time another user`,
          rates['Gatehouse, each time another user'],
          rates[BARE],
          { atLeast: 0.55 }
        ),
        ratio(
          'access checks with 100,000 revoked sessions ÷ with none',
          rates['Gatehouse, 100,000 sessions revoked'],
          rates.Gatehouse
        ),
        ratio(
          'access checks ÷ better-auth with its cookie cache',
          rates.Gatehouse,
          rates['better-auth, cookie cache'],
          { atLeast: 20 }
        ),
        ratio('access checks ÷ better-auth without', rates.Gatehouse, rates['better-auth']),
        ratio('access checks ÷ express + passport', rates.Gatehouse, rates['express + passport']),
      ],
      figures: Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
    },
  ]
}

/** better-auth responds with 200 without a session too, so the body is checked. */
async function provenCookies (peer: Contender): Promise<Cookies> {
  const cookies = await peer.cookies()
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  const answer = await fetch(`http://127.0.0.1:${peer.port}${peer.check.path}`, { headers: { cookie } })
  if (!answer.ok || (await answer.text()) === 'null') {
    throw new Error(`${peer.check.path} does not accept the cookie that it set`)
  }
  return cookies
}
