import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { build } from '../../support/build.ts'

/** Whether two requests count as one client, where one guess is allowed. */
async function oneClient (app: FastifyInstance, one: Request, other: Request): Promise<boolean> {
  const guess = ({ peer, forwarded }: Request) =>
    app.inject({
      method: 'POST',
      url: '/login',
      payload: { username: 'nobody', password: 'wrong' },
      remoteAddress: peer,
      headers: forwarded ? { 'x-forwarded-for': forwarded } : {},
    })
  await guess(one)
  return (await guess(other)).statusCode === 429
}

interface Request {
  peer: string
  forwarded?: string
}

const CASES: Array<[what: string, same: boolean, one: Request, other: Request]> = [
  [
    'an untrusted peer that forges X-Forwarded-For',
    true,
    { peer: '192.0.2.1', forwarded: '203.0.113.1' },
    { peer: '192.0.2.1', forwarded: '203.0.113.2' },
  ],
  [
    'an untrusted peer that forges the address of another client',
    false,
    { peer: '192.0.2.2', forwarded: '192.0.2.3' },
    { peer: '192.0.2.3' },
  ],
  [
    'two clients of a trusted front end',
    false,
    { peer: '10.0.0.1', forwarded: '203.0.113.3' },
    { peer: '10.0.0.1', forwarded: '203.0.113.4' },
  ],
  [
    'one client through two different trusted front ends',
    true,
    { peer: '10.0.0.1', forwarded: '203.0.113.5' },
    { peer: '10.0.0.2', forwarded: '203.0.113.5' },
  ],
  [
    'a client that forges entries before the real one',
    true,
    { peer: '10.0.0.1', forwarded: '1.1.1.1, 203.0.113.6' },
    { peer: '10.0.0.1', forwarded: '2.2.2.2, 203.0.113.6' },
  ],
  [
    'a client that forges a trusted address first',
    true,
    { peer: '10.0.0.1', forwarded: '10.0.0.9, 203.0.113.7' },
    { peer: '10.0.0.1', forwarded: '203.0.113.7' },
  ],
  [
    'a client behind two trusted front ends',
    true,
    { peer: '10.0.0.1', forwarded: '9.9.9.9, 203.0.113.8, 10.0.0.2' },
    { peer: '10.0.0.1', forwarded: '203.0.113.8' },
  ],
  [
    'a front end that adds the port',
    true,
    { peer: '10.0.0.1', forwarded: '203.0.113.9:4001' },
    { peer: '10.0.0.1', forwarded: '203.0.113.9:4002' },
  ],
  [
    'a front end that adds an invalid address',
    true,
    { peer: '10.0.0.1', forwarded: 'nonsense-1' },
    { peer: '10.0.0.1', forwarded: 'nonsense-2' },
  ],
  ['an IPv4 address and its IPv6-mapped form', true, { peer: '192.0.2.10' }, { peer: '::ffff:192.0.2.10' }],
  ['one IPv6 /64', true, { peer: '2001:db8:1:1::1' }, { peer: '2001:db8:1:1:ffff:ffff:ffff:ffff' }],
  [
    'one IPv6 /64, forwarded in another notation',
    true,
    { peer: '10.0.0.1', forwarded: '2001:DB8:0001:4:0:0:0:1' },
    { peer: '10.0.0.1', forwarded: '2001:db8:1:4::2' },
  ],
  ['two IPv6 /64', false, { peer: '2001:db8:1:2::1' }, { peer: '2001:db8:1:3::1' }],
]

t.test('POST /login: which requests count as one client (429)', async t => {
  const { app } = await build(t, { settings: { TRUST_PROXY: '10.0.0.0/24', LIMIT_LOGIN_MAX: '1' } })
  for (const [what, same, one, other] of CASES) t.equal(await oneClient(app, one, other), same, what)
})

t.test('without TRUST_PROXY: X-Forwarded-For is ignored', async t => {
  const { app } = await build(t, { settings: { LIMIT_LOGIN_MAX: '1' } })
  t.ok(
    await oneClient(
      app,
      { peer: '127.0.0.1', forwarded: '203.0.113.1' },
      { peer: '127.0.0.1', forwarded: '203.0.113.2' }
    )
  )
})
