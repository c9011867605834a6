import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import root from 'tap'
import { LIMITS } from '../../../src/limits/registry.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build, redisUrl, withoutRedis } from '../../support/build.ts'
import { endWindow, passTime } from '../../support/redis-windows.ts'

const TOO_MANY_REQUESTS = { error: 'Too many requests', message: 'Please slow down' }
const LOCKED = { error: 'Too many attempts', message: 'Account temporarily locked. Try again in 1 hour.' }

/** Routes for these tests, beside those of the service. */
async function addRoutes (app: FastifyInstance) {
  app.get('/one', { config: { limit: 'general' } }, async () => ({}))
  app.post('/two', { config: { limit: 'general' } }, async () => ({}))
  const hooks = { onRequest: [async () => {}] }
  app.get('/limited', { ...hooks, config: { limit: 'general' } }, async () => ({}))
  app.get('/free', { ...hooks }, async () => ({}))
}

const start = (settings: Record<string, string> = {}) =>
  build(root, { settings, before: app => { app.register(addRoutes) } })
let withDefaults: ReturnType<typeof start> | undefined
let withFour: ReturnType<typeof start> | undefined

/** Services that tests share: each test has addresses of its own there. */
const defaultLimits = () => (withDefaults ??= start())
const fourRequests = () => (withFour ??= start({ LIMIT_GENERAL_MAX: '4' }))

const reset = (app: FastifyInstance, remoteAddress = '192.0.2.1') =>
  app.inject({ method: 'POST', url: '/reset-password', payload: { email: 'ada@example.com' }, remoteAddress })

/** How many requests succeeded before the first 429. */
async function untilRefused (
  ask: () => Promise<{ statusCode: number, headers: Record<string, unknown> }>,
  max: number
) {
  for (let count = 1; ; count++) {
    const { statusCode, headers } = await ask()
    if (statusCode === 429) return count - 1
    if (headers['ratelimit-limit'] !== String(max) || headers['ratelimit-remaining'] !== String(max - count)) {
      throw new Error(
        `${count}: ${statusCode}, limit ${headers['ratelimit-limit']}, remaining ${headers['ratelimit-remaining']}`
      )
    }
  }
}

root.test('POST /reset-password: fourth request in an hour (429)', async t => {
  const { app } = await defaultLimits()
  t.equal(await untilRefused(() => reset(app), 3), 3)
  const refused = await reset(app)
  t.strictSame(refused.json(), LOCKED)
  t.match(refused.headers, {
    'ratelimit-limit': '3',
    'ratelimit-remaining': '0',
    'ratelimit-reset': /^(3600|35\d\d)$/,
    'retry-after': /^(3600|35\d\d)$/,
  })
  t.notOk(
    Object.keys(refused.headers).some(name => name.startsWith('x-ratelimit')),
    'no legacy headers'
  )
  t.equal((await reset(app, '192.0.2.2')).statusCode, 202, 'another address')
})

root.test('POST /reset-password: twenty at once, three accepted', async t => {
  const { app } = await defaultLimits()
  const answers = await Promise.all(Array.from({ length: 20 }, () => reset(app, '192.0.2.3')))
  t.equal(answers.filter(answer => answer.statusCode === 202).length, 3)
})

root.test('POST /reset-password: accepted again after the window (202)', { skip: withoutRedis }, async t => {
  const remoteAddress = '192.0.2.4'
  const { app } = await build(t, { settings: { REDIS_URL: await redisUrl(t) } })
  t.equal(await untilRefused(() => reset(app, remoteAddress), 3), 3)
  const key = LIMITS.sensitive.key(remoteAddress)
  await endWindow(app, key, 60_000)
  const { statusCode, headers } = await reset(app, remoteAddress)
  t.equal(statusCode, 429)
  t.match(headers['retry-after'], /^([1-5]?\d|60)$/)
  await passTime(app.redis, app.config.REDIS_PREFIX + key, Number(headers['retry-after']) * 1_000)
  t.equal((await reset(app, remoteAddress)).statusCode, 202)
})

root.test('POST /reset-password: two instances share the count', { skip: withoutRedis }, async t => {
  const settings = { REDIS_URL: await redisUrl(t), REDIS_PREFIX: `test:${process.pid}:resets:` }
  const apps = [(await build(t, { settings })).app, (await build(t, { settings })).app] as const
  for (const index of [0, 1, 0] as const) t.equal((await reset(apps[index])).statusCode, 202)
  for (const app of apps) t.strictSame((await reset(app)).json(), LOCKED)
})

root.test('general limit: one count for all routes and HEAD, request 101 (429)', async t => {
  const { app } = await defaultLimits()
  const ways = [{ url: '/one' }, { method: 'HEAD', url: '/one' }, { method: 'POST', url: '/two' }] as const
  let turn = 0
  t.equal(await untilRefused(() => app.inject(ways[turn++ % 3] ?? '/one'), 100), 100)
  for (const way of ways) {
    const refused = await app.inject(way)
    t.equal(refused.statusCode, 429)
    t.match(refused.headers, {
      'ratelimit-limit': '100',
      'ratelimit-remaining': '0',
      'ratelimit-reset': /^(900|8\d\d)$/,
      'retry-after': /^(900|8\d\d)$/,
    })
    if (way.url === '/two') t.strictSame(refused.json(), TOO_MANY_REQUESTS)
  }
  t.match((await app.inject('/health')).headers, { 'ratelimit-limit': undefined }, 'no headers without a limit')
  t.equal((await reset(app, '127.0.0.1')).statusCode, 202, 'another limit is not affected')
})

root.test('general limit: two users and their shared address are counted separately', async t => {
  const { app, owner } = await fourRequests()
  const [ada, bob] = [createBrowser(app), createBrowser(app)]
  for (const browser of [ada, bob]) await browser.signIn((await createUser(owner)).username)
  const read = ({ cookies }: typeof ada, remoteAddress = '192.0.2.9') =>
    app.inject({ url: '/api/content', cookies: Object.fromEntries(cookies), remoteAddress })

  t.equal(await untilRefused(() => read(ada), 4), 4)
  t.equal((await read(ada, '192.0.2.10')).statusCode, 429, 'the user at any address')
  t.equal(await untilRefused(() => read(bob), 4), 4)
  const register = () => app.inject({ method: 'POST', url: '/register', payload: {}, remoteAddress: '192.0.2.9' })
  t.equal(await untilRefused(register, 4), 4, 'requests without a session')
  t.equal(
    (await app.inject({ url: '/api/content', remoteAddress: '192.0.2.9' })).statusCode,
    401,
    'the redirect to the sign-in page is not limited'
  )
  t.equal(
    (
      await app.inject({
        method: 'POST',
        url: '/register',
        payload: {},
        remoteAddress: '192.0.2.9',
        cookies: { access_token: 'forged' },
      })
    ).statusCode,
    429
  )
})

root.test('POST /api/auth/refresh: counted for each session, not for the address', async t => {
  const { app, owner } = await fourRequests()
  const { username } = await createUser(owner)
  const [desk, phone] = [createBrowser(app), createBrowser(app)]
  for (const browser of [desk, phone]) {
    await browser.signIn(username)
    t.equal(await untilRefused(() => browser.refresh(), 4), 4)
    t.equal((await browser.get('/api/csrf-token')).statusCode, 200, 'separate from the requests of the user')
  }
  const forged = () =>
    app.inject({
      method: 'POST',
      url: '/api/auth/refresh',
      remoteAddress: desk.address,
      cookies: { refresh_token: 'forged' },
    })
  t.equal(await untilRefused(forged, 4), 4, 'by address without a session')
})

root.test('a limit applies to its route only, even with shared hooks', async t => {
  const { app } = await fourRequests()
  const statuses = []
  for (let count = 0; count < 5; count++) statuses.push((await app.inject('/limited')).statusCode)
  t.strictSame(statuses, [200, 200, 200, 200, 429])
  t.equal((await app.inject('/free')).statusCode, 200)
})

root.test('routes for anonymous clients: a hundred valid access tokens at one address are one count', async t => {
  const { app } = await defaultLimits()
  let users = 0
  /** Each time with the token of another user. */
  const send = (url: string, payload: object) => {
    const iat = Math.floor(Date.now() / 1_000)
    const ids = { userId: String(++users), jti: randomUUID(), sid: randomUUID() }
    const access = app.tokens.sign({ ...ids, username: 'ada', iat, exp: iat + 60, use: 'access' })
    return app.inject({ method: 'POST', url, payload, cookies: { access_token: access }, remoteAddress: '192.0.2.20' })
  }
  t.equal(await untilRefused(() => send('/register', {}), 100), 100)
  for (const url of ['/verify-email', '/verify-email/resend', '/reset-password/confirm', '/api/auth/password/check']) {
    t.equal((await send(url, {})).statusCode, 429, url)
  }
  const { statusCode } = await send('/api/sensitive', {})
  t.equal(statusCode, 403, 'a route for signed-in users counts by user')
})
