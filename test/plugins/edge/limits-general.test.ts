import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build, redisUrl, withoutRedis } from '../../support/build.ts'

const TOO_MANY_REQUESTS = { error: 'Too many requests', message: 'Please slow down' }
const LOCKED = { error: 'Too many attempts', message: 'Account temporarily locked. Try again in 1 hour.' }

const reset = (app: FastifyInstance, remoteAddress = '192.0.2.1') =>
  app.inject({ method: 'POST', url: '/reset-password', payload: { email: 'ada@example.com' }, remoteAddress })

/** Of as many requests as were made: how many came through before the first 429, with the figures of each. */
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

t.test('POST /reset-password: three an hour, the fourth (429)', async t => {
  const { app } = await build(t)
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

t.test('POST /reset-password: twenty at once are three', async t => {
  const { app } = await build(t)
  const answers = await Promise.all(Array.from({ length: 20 }, () => reset(app)))
  t.equal(answers.filter(answer => answer.statusCode === 202).length, 3)
})

t.test('POST /reset-password: the window ends', { skip: withoutRedis }, async t => {
  const { app } = await build(t, { settings: { LIMIT_SENSITIVE_WINDOW: '2', REDIS_URL: await redisUrl(t) } })
  t.equal(await untilRefused(() => reset(app), 3), 3)
  const { headers } = await reset(app)
  await sleep(Number(headers['retry-after']) * 1_000)
  t.equal((await reset(app)).statusCode, 202)
})

t.test('two instances count resets together', { skip: withoutRedis }, async t => {
  const settings = { REDIS_URL: await redisUrl(t), REDIS_PREFIX: `test:${process.pid}:resets:` }
  const apps = [(await build(t, { settings })).app, (await build(t, { settings })).app] as const
  for (const index of [0, 1, 0] as const) t.equal((await reset(apps[index])).statusCode, 202)
  for (const app of apps) t.strictSame((await reset(app)).json(), LOCKED)
})

t.test('general: a hundred, then 429; every route with that limit, and HEAD, is one count', async t => {
  const { app } = await build(t, {
    before: app => {
      app.register(async app => {
        app.get('/one', { config: { limit: 'general' } }, async () => ({}))
        app.post('/two', { config: { limit: 'general' } }, async () => ({}))
      })
    },
  })
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
  t.match((await app.inject('/health')).headers, { 'ratelimit-limit': undefined }, 'no limit, no header')
  t.equal((await reset(app, '127.0.0.1')).statusCode, 202, 'the limits do not add up')
})

t.test('general: two users behind one address are counted apart, and apart from it', async t => {
  const { app, owner } = await build(t, { settings: { LIMIT_GENERAL_MAX: '4' } })
  const [ada, bob] = [createBrowser(app), createBrowser(app)]
  for (const browser of [ada, bob]) await browser.signIn((await createUser(owner)).username)
  const read = ({ cookies }: typeof ada, remoteAddress = '192.0.2.9') =>
    app.inject({ url: '/api/csrf-token', cookies: Object.fromEntries(cookies), remoteAddress })

  t.equal(await untilRefused(() => read(ada), 4), 4)
  t.equal((await read(ada, '192.0.2.10')).statusCode, 429, 'the user, whatever the address')
  t.equal(await untilRefused(() => read(bob), 4), 4)
  const register = () => app.inject({ method: 'POST', url: '/register', payload: {}, remoteAddress: '192.0.2.9' })
  t.equal(await untilRefused(register, 4), 4, 'whoever is not signed in')
  t.equal(
    (await app.inject({ url: '/api/csrf-token', remoteAddress: '192.0.2.9' })).statusCode,
    401,
    'to be sent to sign in is never refused'
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

t.test('POST /api/auth/refresh: each session for itself, so that an office is not signed out', async t => {
  const { app, owner } = await build(t, { settings: { LIMIT_GENERAL_MAX: '4' } })
  const { username } = await createUser(owner)
  const [desk, phone] = [createBrowser(app), createBrowser(app)]
  for (const browser of [desk, phone]) {
    await browser.signIn(username)
    t.equal(await untilRefused(() => browser.refresh(), 4), 4)
    t.equal((await browser.get('/api/csrf-token')).statusCode, 200, 'apart from what the user does')
  }
  const forged = () =>
    app.inject({
      method: 'POST',
      url: '/api/auth/refresh',
      remoteAddress: desk.address,
      cookies: { refresh_token: 'forged' },
    })
  t.equal(await untilRefused(forged, 4), 4, 'without a session the address')
})

t.test('a limit stays with its route, though another shares the hooks', async t => {
  const { app } = await build(t, {
    settings: { LIMIT_GENERAL_MAX: '1' },
    before: app => {
      const hooks = { onRequest: [async () => {}] }
      app.register(async app => {
        app.get('/limited', { ...hooks, config: { limit: 'general' } }, async () => ({}))
        app.get('/free', { ...hooks }, async () => ({}))
      })
    },
  })
  t.strictSame([(await app.inject('/limited')).statusCode, (await app.inject('/limited')).statusCode], [200, 429])
  t.equal((await app.inject('/free')).statusCode, 200)
})
