import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { LIMITS } from '../../../src/limits/registry.ts'
import { createUser, PASSWORD } from '../../support/browser.ts'
import { build, buildShared, redisUrl, withoutRedis } from '../../support/build.ts'
import { countChecks, guess, login, newAddress, statusesOf, twoInstances } from '../../support/password-guesses.ts'
import { endWindow, passTime } from '../../support/redis-windows.ts'

const REFUSED = { error: 'Too many login attempts', message: 'Please try again after 15 minutes', retryAfter: 900 }

t.test('POST /login: sixth wrong guess over two instances (429)', { skip: withoutRedis }, async t => {
  const client = { remoteAddress: newAddress() }
  const { one, two, owner } = await twoInstances()
  const checks = countChecks(one, two)
  const { username } = await createUser(owner)
  for (const [index, app] of [one, two, two, one, two].entries()) {
    const answer = await guess(app, username, client)
    t.equal(answer.statusCode, 401)
    t.match(answer.headers, {
      'ratelimit-limit': '5',
      'ratelimit-remaining': String(4 - index),
      'ratelimit-reset': /^(900|89\d)$/,
      'retry-after': undefined,
    })
  }
  for (const app of [one, two]) {
    for (const password of ['wrong', PASSWORD]) {
      const answer = await login(app, username, password, client)
      t.equal(answer.statusCode, 429)
      t.strictSame(answer.json(), REFUSED)
      t.match(answer.headers, {
        'ratelimit-limit': '5',
        'ratelimit-remaining': '0',
        'ratelimit-reset': /^\d+$/,
        'retry-after': /^(900|8\d\d)$/,
      })
      t.notOk(
        Object.keys(answer.headers).some(name => name.startsWith('x-ratelimit')),
        'no legacy headers'
      )
    }
  }
  t.equal(checks(), 5)
  t.equal((await guess(one, username, { remoteAddress: newAddress() })).statusCode, 401, 'another address')
})

t.test('POST /login: two hundred wrong guesses at once, five checks (429)', { skip: withoutRedis }, async t => {
  const client = { remoteAddress: newAddress() }
  const { one, two, owner } = await twoInstances()
  const checks = countChecks(one, two)
  const { username } = await createUser(owner)
  const guesses = Array.from({ length: 200 }, (_, index) => guess(index % 2 ? one : two, username, client))
  t.strictSame(await statusesOf(guesses), { 401: 5, 429: 195 })
  t.equal(checks(), 5)
})

t.test('POST /login: sixth guess after sign-ins to another account (429)', { skip: withoutRedis }, async t => {
  const client = { remoteAddress: newAddress() }
  const { one, two, owner } = await twoInstances()
  const [victim, own] = [await createUser(owner), await createUser(owner)]
  const statuses: Array<[of: string, status: number]> = []
  const attempt = async (app: FastifyInstance, name: string, password: string) => {
    statuses.push([name, (await login(app, name, password, client)).statusCode])
  }
  const guessed = () => statuses.filter(([of, status]) => of === victim.username && status === 401).length

  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 3 ? attempt(one, victim.username, 'wrong') : attempt(two, own.username, PASSWORD)
    )
  )
  t.ok(guessed() <= 5, `${guessed()} at once`)
  for (let round = 0; round < 8; round++) {
    await attempt(two, own.username, PASSWORD)
    await attempt(one, victim.username, 'wrong')
  }
  t.equal(guessed(), 5)
  t.equal((await login(one, own.username, PASSWORD, client)).statusCode, 429)
})

t.test('POST /login: four wrong, a hundred right, one wrong, then refused (429)', async t => {
  const client = { remoteAddress: newAddress() }
  const { app, owner } = await buildShared(t)
  const { username } = await createUser(owner)
  for (let wrong = 0; wrong < 4; wrong++) await guess(app, username, client)
  for (let right = 0; right < 100; right++) {
    const answer = await login(app, username, PASSWORD, client)
    if (answer.statusCode !== 200 || answer.headers['ratelimit-remaining'] !== '1') {
      t.fail(`right ${right}: ${answer.statusCode}`)
    }
  }
  t.equal((await guess(app, username, client)).statusCode, 401)
  t.equal((await login(app, username, PASSWORD, client)).statusCode, 429)
})

t.test('POST /login: forty right passwords at once from one address (200)', { skip: withoutRedis }, async t => {
  const client = { remoteAddress: newAddress() }
  const { one, two, owner } = await twoInstances()
  const users = await Promise.all(Array.from({ length: 40 }, () => createUser(owner)))
  const statuses = await statusesOf(users.map(({ username }, index) =>
    login(index % 2 ? one : two, username, PASSWORD, client)))
  t.strictSame(statuses, { 200: 40 })
  for (let wrong = 0; wrong < 5; wrong++) {
    t.equal((await guess(one, 'nobody', client)).statusCode, 401, 'none was counted')
  }
  t.equal((await guess(two, 'nobody', client)).statusCode, 429)
})

t.test('POST /login: forty wrong passwords at once from one address (5 × 401, 35 × 429)', {
  skip: withoutRedis,
}, async t => {
  const client = { remoteAddress: newAddress() }
  const { one, two, owner } = await twoInstances()
  const checks = countChecks(one, two)
  const users = await Promise.all(Array.from({ length: 40 }, () => createUser(owner)))
  const statuses = await statusesOf(users.map(({ username }, index) => guess(index % 2 ? one : two, username, client)))
  t.strictSame(statuses, { 401: 5, 429: 35 })
  t.equal(checks(), 5)
})

t.test('POST /login: malformed requests are counted (400, then 429)', async t => {
  const client = { remoteAddress: newAddress() }
  const { app } = await buildShared(t)
  const checks = countChecks(app)
  for (let index = 0; index < 5; index++) {
    const malformed = await app.inject({ method: 'POST', url: '/login', payload: { username: 'x' }, ...client })
    t.equal(malformed.statusCode, 400)
  }
  t.equal((await guess(app, 'x', client)).statusCode, 429)
  t.equal(checks(), 0)
})

t.test('POST /login: accepted again after the window (200)', { skip: withoutRedis }, async t => {
  const client = { remoteAddress: newAddress() }
  const { app } = await build(t, { settings: { LIMIT_LOGIN_MAX: '2', REDIS_URL: await redisUrl(t) } })
  await guess(app, 'nobody', client)
  await guess(app, 'nobody', client)
  const key = LIMITS.login.key(client.remoteAddress)
  await endWindow(app, key, 60_000)
  const refused = await guess(app, 'nobody', client)
  t.equal(refused.statusCode, 429)
  t.match(refused.headers['retry-after'], /^([1-5]?\d|60)$/)
  await passTime(app.redis, app.config.REDIS_PREFIX + key, Number(refused.headers['retry-after']) * 1_000)
  t.equal((await guess(app, 'nobody', client)).statusCode, 401, 'after as many seconds as Retry-After said')
})
