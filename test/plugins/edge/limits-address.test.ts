import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { build } from '../../support/build.ts'

/** Whether a guess in the first way leaves none for the second, where one is allowed. */
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
    'an untrusted peer that claims to be another',
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
    'one client by two trusted front ends',
    true,
    { peer: '10.0.0.1', forwarded: '203.0.113.5' },
    { peer: '10.0.0.2', forwarded: '203.0.113.5' },
  ],
  [
    'a client that forges entries in front of the true one',
    true,
    { peer: '10.0.0.1', forwarded: '1.1.1.1, 203.0.113.6' },
    { peer: '10.0.0.1', forwarded: '2.2.2.2, 203.0.113.6' },
  ],
  [
    'a client that forges a trusted address in front',
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
    'a front end that adds nonsense',
    true,
    { peer: '10.0.0.1', forwarded: 'nonsense-1' },
    { peer: '10.0.0.1', forwarded: 'nonsense-2' },
  ],
  ['IPv4 and the same mapped into IPv6', true, { peer: '192.0.2.10' }, { peer: '::ffff:192.0.2.10' }],
  ['one IPv6 /64', true, { peer: '2001:db8:1:1::1' }, { peer: '2001:db8:1:1:ffff:ffff:ffff:ffff' }],
  [
    'one IPv6 /64, forwarded and written otherwise',
    true,
    { peer: '10.0.0.1', forwarded: '2001:DB8:0001:4:0:0:0:1' },
    { peer: '10.0.0.1', forwarded: '2001:db8:1:4::2' },
  ],
  ['two IPv6 /64', false, { peer: '2001:db8:1:2::1' }, { peer: '2001:db8:1:3::1' }],
]

t.test('who is one client', async t => {
  const { app } = await build(t, { settings: { TRUST_PROXY: '10.0.0.0/24', LIMIT_LOGIN_MAX: '1' } })
  for (const [what, same, one, other] of CASES) t.equal(await oneClient(app, one, other), same, what)
})

t.test('without TRUST_PROXY nobody is believed', async t => {
  const { app } = await build(t, { settings: { LIMIT_LOGIN_MAX: '1' } })
  t.ok(
    await oneClient(
      app,
      { peer: '127.0.0.1', forwarded: '203.0.113.1' },
      { peer: '127.0.0.1', forwarded: '203.0.113.2' }
    )
  )
})
