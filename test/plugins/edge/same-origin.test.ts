import type { FastifyInstance, InjectOptions } from 'fastify'
import root from 'tap'
import { build } from '../../support/build.ts'

const OURS = 'https://auth.example.com'
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: `${OURS}/`,
  REDIS_URL: 'redis://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
  TRUST_PROXY: '127.0.0.1',
}

const before = (app: FastifyInstance) => {
  app.register(async app => {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/any',
      handler: async () => ({}),
    })
  })
}

const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'] as const
const SAFE = ['GET', 'HEAD', 'OPTIONS'] as const

const CASES: Array<[what: string, passes: boolean, headers: Record<string, string>]> = [
  ['a program', true, {}],
  ['own page', true, { origin: OURS, 'sec-fetch-site': 'same-origin' }],
  ['own page, browser without Sec-Fetch-Site', true, { origin: OURS }],
  ['own page, browser without Origin', true, { 'sec-fetch-site': 'same-origin' }],
  ['entered by the user', true, { 'sec-fetch-site': 'none' }],
  ['another site', false, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['own page, redirected by another site', false, { origin: OURS, 'sec-fetch-site': 'cross-site' }],
  ['another site without Origin', false, { 'sec-fetch-site': 'cross-site' }],
  ['another site without Sec-Fetch-Site', false, { origin: 'https://evil.example' }],
  ['another site with our host name', false, { origin: 'https://evil.example', host: 'evil.example' }],
  [
    'another site with a forged X-Forwarded-Host',
    false,
    { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
  ],
  ['a sibling domain', false, { origin: 'https://shop.example.com', 'sec-fetch-site': 'same-site' }],
  ['a sibling domain without Origin', false, { 'sec-fetch-site': 'same-site' }],
  ['a sandboxed frame', false, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a file on the disk', false, { origin: 'null' }],
  ['own host without TLS', false, { origin: 'http://auth.example.com' }],
  ['own host at another port', false, { origin: `${OURS}:8443` }],
  ['a host name that begins with ours', false, { origin: `${OURS}.evil.example` }],
  ['two origins', false, { origin: `${OURS}, https://evil.example` }],
  ['an unknown value of Sec-Fetch-Site', false, { 'sec-fetch-site': 'friendly' }],
]

root.test('unsafe methods: only from own pages (403); safe methods: from any site (200)', async t => {
  const { app } = await build(t, { settings: PRODUCTION, before })
  for (const [what, passes, headers] of CASES) {
    for (const method of UNSAFE) {
      const answer = await app.inject({ method, url: '/any', headers })
      t.equal(answer.statusCode, passes ? 200 : 403, `${what}: ${method}`)
      if (!passes) {
        t.strictSame(answer.json(), {
          error: 'Forbidden',
          message: 'Only pages of https://auth.example.com may send this request.',
        })
      }
      t.ok(answer.headers['content-security-policy'], 'with the security headers')
    }
    for (const method of SAFE) {
      t.equal((await app.inject({ method, url: '/any', headers })).statusCode, 200, `${what}: ${method}`)
    }
  }
})

const start = () =>
  build(root, { settings: { PUBLIC_URL: 'http://localhost:3000', TRUST_PROXY: '127.0.0.1' }, before })
let shared: ReturnType<typeof start> | undefined
const outsideProduction = () => (shared ??= start())

root.test('outside production: the requested host counts as own', async t => {
  const { app } = await outsideProduction()
  const ask = async (headers: Record<string, string>) =>
    (await app.inject({ method: 'POST', url: '/any', headers })).statusCode
  t.equal(await ask({ host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }), 200)
  t.equal(await ask({ host: '127.0.0.1:3000', origin: 'http://localhost:3000' }), 200)
  t.equal(await ask({ host: '127.0.0.1:3000', origin: 'http://127.0.0.1:4000', 'sec-fetch-site': 'same-site' }), 403)
  t.equal(
    await ask({ host: '127.0.0.1:3000', origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' }),
    403
  )
  t.equal(await ask({ host: 'null', origin: 'null' }), 403)
})

root.test('POST /login: from another site (403), not counted', async t => {
  const { app } = await outsideProduction()
  const login: InjectOptions = { method: 'POST', url: '/login', payload: { username: 'nobody', password: 'wrong' } }
  for (let count = 0; count < 10; count++) {
    t.equal((await app.inject({ ...login, headers: { origin: 'https://evil.example' } })).statusCode, 403)
  }
  t.match((await app.inject(login)).headers, { 'ratelimit-remaining': '4' })
})
