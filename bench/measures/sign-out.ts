import type { Bench } from '../bench.ts'
import { startService } from '../contenders/contenders.ts'
import type { Result } from '../figures/results.ts'
import { judged, spread } from '../figures/rounds.ts'
import { fillUsers } from '../data/sessions.ts'
import { accessToken, refreshToken } from '../data/tokens.ts'

const DATABASE = 'sign_out'

/** From the response to a sign-out until the other instance refuses the access token. */
export async function measureSignOut (bench: Bench): Promise<Result[]> {
  const { options: { quick }, stage, service, start, progress } = bench
  const count = quick ? 50 : 1_000
  await stage.createServiceDatabase(DATABASE)
  await fillUsers(stage, DATABASE, count, `$2b$10$${'.'.repeat(53)}`)
  const sessions = Array.from({ length: count }, (_, index) => ({ user: index + 1, ...refreshToken(index + 1) }))
  await stage.query(
    DATABASE,
    `INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at)
     SELECT sid, user_id, token, now() + interval '20 days', now()
     FROM unnest($1::uuid[], $2::bigint[], $3::bytea[]) AS session (sid, user_id, token)`,
    [sessions.map(({ sid }) => sid), sessions.map(({ user }) => user), sessions.map(({ digest }) => digest)]
  )
  const first = await start(startService(stage, service.program, DATABASE, 10))
  const second = await start(startService(stage, service.program, DATABASE, 10))

  async function send (port: number, method: string, path: string, cookie: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { cookie } })
    await response.arrayBuffer()
    return response.status
  }

  async function delay ({ user, sid, value }: (typeof sessions)[number]): Promise<number> {
    const cookie = `access_token=${accessToken(user, sid).value}`
    const check = () => send(second.port, 'GET', '/api/auth/verify', cookie)
    if (await check() !== 204) throw new Error('the access token was refused before the sign-out')
    const status = await send(first.port, 'POST', '/logout', `refresh_token=${value}`)
    if (status >= 400) throw new Error(`the sign-out was refused: ${status}`)
    const signedOut = performance.now()
    while (await check() !== 401);
    return performance.now() - signedOut
  }

  const delays: number[] = []
  for (const [index, session] of sessions.entries()) {
    if (index % 50 === 0) progress(`${index} of ${count} sign-outs`)
    delays.push(await delay(session))
  }
  const p99 = delays.toSorted((a, b) => a - b)[Math.ceil(count * 0.99) - 1] as number
  return [
    {
      id: 'sign-out',
      title: `Sign-out at one instance, access check at another (${count} times)`,
      ratios: [{ ...judged('99th percentile', [p99], { atMost: 1_000 }), unit: 'ms' }],
      figures: [
        { label: 'delay', unit: 'ms', ...spread(delays) },
      ],
    },
  ]
}
