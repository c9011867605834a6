import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions } from 'fastify'
import t from 'tap'
import { createBrowser, createUser, PASSWORD } from '../../support/browser.ts'
import { build, createDatabase, redisUrl, withoutRedis } from '../../support/build.ts'
import { eventually } from '../../support/process.ts'

const REFUSED = { error: 'Too many login attempts', message: 'Please try again after 15 minutes', retryAfter: 900 }
const ATTACKER = '192.0.2.1'

/** How often a password was really compared: what the limit must bound. */
function countChecks (app: FastifyInstance): () => number {
  const { verify } = app.passwords
  let checks = 0
  app.passwords.verify = (...args) => {
    checks++
    return verify(...args)
  }
  return () => checks
}

const login = (app: FastifyInstance, username: string, password: string, options: InjectOptions = {}) =>
  app.inject({ method: 'POST', url: '/login', payload: { username, password }, remoteAddress: ATTACKER, ...options })

const guess = (app: FastifyInstance, username: string, options?: InjectOptions) =>
  login(app, username, 'wrong', options)

/** The number of responses with each status. */
async function statusesOf (answers: Array<Promise<{ statusCode: number }>>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { statusCode } of await Promise.all(answers)) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>(resolve => app.server.getConnections((_error, count) => resolve(count)))

/** Two instances on one database and one Redis. */
async function twoInstances (t: Parameters<typeof build>[0], settings: Record<string, string> = {}) {
  const database = await createDatabase(t)
  const shared = {
    ...database.settings,
    REDIS_URL: await redisUrl(t),
    REDIS_PREFIX: `test:${process.pid}:${t.name}:`,
    ...settings,
  }
  const { app: one } = await build(t, { settings: shared })
  const { app: two } = await build(t, { settings: shared })
  const checksOf = [countChecks(one), countChecks(two)]
  return { one, two, owner: database.owner, checks: () => checksOf.reduce((sum, checks) => sum + checks(), 0) }
}

t.test('POST /login: sixth wrong guess over two instances (429)', { skip: withoutRedis }, async t => {
  const { one, two, owner, checks } = await twoInstances(t)
  const { username } = await createUser(owner)
  for (const [index, app] of [one, two, two, one, two].entries()) {
    const answer = await guess(app, username)
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
      const answer = await login(app, username, password)
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
  t.equal((await guess(one, username, { remoteAddress: '192.0.2.2' })).statusCode, 401, 'another address')
})

t.test('POST /login: two hundred wrong guesses at once, five checks (429)', { skip: withoutRedis }, async t => {
  const { one, two, owner, checks } = await twoInstances(t)
  const { username } = await createUser(owner)
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => guess(index % 2 ? one : two, username)))
  t.equal(checks(), 5)
  t.equal(answers.filter(answer => answer.statusCode === 401).length, 5)
  t.equal(answers.filter(answer => answer.statusCode === 429).length, 195)
})

t.test('POST /login: sixth guess after sign-ins to another account (429)', { skip: withoutRedis }, async t => {
  const { one, two, owner } = await twoInstances(t)
  const [victim, own] = [await createUser(owner), await createUser(owner)]
  const statuses: Array<[of: string, status: number]> = []
  const attempt = async (app: FastifyInstance, name: string, password: string) => {
    statuses.push([name, (await login(app, name, password)).statusCode])
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
  t.equal((await login(one, own.username, PASSWORD)).statusCode, 429)
})

t.test('POST /login: four wrong, a hundred right, one wrong, then refused (429)', async t => {
  const { app, owner } = await build(t)
  const { username } = await createUser(owner)
  for (let wrong = 0; wrong < 4; wrong++) await guess(app, username)
  for (let right = 0; right < 100; right++) {
    const answer = await login(app, username, PASSWORD)
    if (answer.statusCode !== 200 || answer.headers['ratelimit-remaining'] !== '1') {
      t.fail(`right ${right}: ${answer.statusCode}`)
    }
  }
  t.equal((await guess(app, username)).statusCode, 401)
  t.equal((await login(app, username, PASSWORD)).statusCode, 429)
})

t.test('POST /login: forty right passwords at once from one address (200)', async t => {
  const { one, two, owner } = await twoInstances(t)
  const users = await Promise.all(Array.from({ length: 40 }, () => createUser(owner)))
  const statuses = await statusesOf(users.map(({ username }, index) =>
    login(index % 2 ? one : two, username, PASSWORD)))
  t.strictSame(statuses, { 200: 40 })
  for (let wrong = 0; wrong < 5; wrong++) t.equal((await guess(one, 'nobody')).statusCode, 401, 'none was counted')
  t.equal((await guess(two, 'nobody')).statusCode, 429)
})

t.test('POST /login: forty wrong passwords at once from one address (5 × 401, 35 × 429)', async t => {
  const { one, two, owner, checks } = await twoInstances(t)
  const users = await Promise.all(Array.from({ length: 40 }, () => createUser(owner)))
  const statuses = await statusesOf(users.map(({ username }, index) => guess(index % 2 ? one : two, username)))
  t.strictSame(statuses, { 401: 5, 429: 35 })
  t.equal(checks(), 5)
})

t.test('POST /login: right and wrong passwords at once, right ones before the fifth failure (200)', async t => {
  const { app, owner } = await build(t)
  const users = await Promise.all(Array.from({ length: 20 }, () => createUser(owner)))
  const checks = countChecks(app)
  const statuses = await statusesOf(users.map(({ username }, index) =>
    index % 5 === 4 ? guess(app, username) : login(app, username, PASSWORD)))
  t.strictSame(statuses, { 200: 16, 401: 4 })
  t.equal(checks(), 20)
})

t.test('POST /login: sixth request while five are undecided (503)', async t => {
  const { app, owner } = await build(t)
  const { username } = await createUser(owner)
  const { verify } = app.passwords
  const decided = Promise.withResolvers<boolean>()
  app.passwords.verify = () => decided.promise
  const stuck = Array.from({ length: 5 }, async () => login(app, username, PASSWORD))
  const sixth = await login(app, username, PASSWORD)
  t.match(sixth, { statusCode: 503, headers: { 'retry-after': '5' } })
  decided.resolve(true)
  t.strictSame(await statusesOf(stuck), { 200: 5 })
  app.passwords.verify = verify
  t.equal((await login(app, username, PASSWORD)).statusCode, 200)
})

t.test('POST /login: a client that closes the connection while it waits is not checked', async t => {
  const { app, log, owner } = await build(t)
  const { username } = await createUser(owner)
  const { verify } = app.passwords
  const decided = Promise.withResolvers<boolean>()
  let checks = 0
  app.passwords.verify = () => {
    checks++
    return decided.promise
  }
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/login`
  const post = (signal?: AbortSignal) => fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
    signal,
  })
  const stuck = Array.from({ length: 5 }, () => post())
  await eventually(() => checks, count => count === 5, 30_000)
  const leaving = new AbortController()
  const gone = post(leaving.signal)
  await eventually(() => connectionsOf(app), count => count >= 6, 30_000)
  leaving.abort()
  await t.rejects(gone)
  await eventually(() => log.lines.find(({ msg }) => /overloaded/.test(msg)), line => line !== undefined, 30_000)
  t.match(log.lines.find(({ msg }) => /overloaded/.test(msg)), {
    refused: { 'logins waited too long for others of their client': 1 },
  }, 'one line for all that were refused')
  decided.resolve(true)
  t.strictSame(await statusesOf(stuck.map(async answer => ({ statusCode: (await answer).status }))), { 200: 5 })
  t.equal(checks, 5)
  app.passwords.verify = verify
})

t.test('POST /login: malformed requests are counted (400, then 429)', async t => {
  const { app } = await build(t)
  const checks = countChecks(app)
  for (let index = 0; index < 5; index++) {
    t.equal(
      (await app.inject({ method: 'POST', url: '/login', payload: { username: 'x' }, remoteAddress: ATTACKER }))
        .statusCode,
      400
    )
  }
  t.equal((await guess(app, 'x')).statusCode, 429)
  t.equal(checks(), 0)
})

t.test('POST /login: accepted again after the window (200)', { skip: withoutRedis }, async t => {
  const { app } = await build(t, {
    settings: { LIMIT_LOGIN_WINDOW: '3', LIMIT_LOGIN_MAX: '2', REDIS_URL: await redisUrl(t) },
  })
  await guess(app, 'nobody')
  await guess(app, 'nobody')
  const refused = await guess(app, 'nobody')
  t.equal(refused.statusCode, 429)
  t.match(refused.headers['retry-after'], /^[123]$/)
  await sleep(Number(refused.headers['retry-after']) * 1_000)
  t.equal((await guess(app, 'nobody')).statusCode, 401, 'after as many seconds as Retry-After said')
})

const ACCOUNT = { LIMIT_ACCOUNT_MAX: '3' }
let addresses = 0
const elsewhere = () => ({ remoteAddress: `198.51.100.${++addresses}` })

t.test('POST /login: many addresses guess at one account, in any spelling (429)', { skip: withoutRedis }, async t => {
  const { one, two, owner, checks } = await twoInstances(t, ACCOUNT)
  const { username } = await createUser(owner, { username: 'victim' })
  for (const each of [username, 'nobody']) {
    const before = checks()
    const spellings = [each, each.toUpperCase(), each.replace('i', 'İ')]
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        guess(index % 2 ? one : two, spellings[index % 3] as string, elsewhere())
      )
    )
    t.equal(checks() - before, 3, each)
    const refused = await login(one, each, PASSWORD, elsewhere())
    t.equal(refused.statusCode, 429)
    t.strictSame(refused.json(), REFUSED, 'the same response as for an address')
    t.match(refused.headers, {
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'retry-after': /^(3600|3[45]\d\d)$/,
    })
  }
})

t.test('POST /login: a known browser is not locked out by others (200)', async t => {
  const { app, owner } = await build(t, { settings: ACCOUNT })
  const user = await createUser(owner)
  const [known, another, thief] = [createBrowser(app), createBrowser(app), createBrowser(app)]
  await known.signIn(user.email)
  await another.signIn((await createUser(owner)).username)
  await thief.signIn((await createUser(owner)).username)
  for (let wrong = 0; wrong < 3; wrong++) await guess(app, user.username, elsewhere())

  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 429, 'an unknown browser')
  t.equal((await another.signIn(user.username)).statusCode, 429, 'a browser known for another account')
  thief.cookies.set(
    'device',
    (thief.cookies.get('device') as string).replace(
      /^[^.]+/,
      (known.cookies.get('device') as string).split('.')[0] as string
    )
  )
  t.equal((await thief.signIn(user.username)).statusCode, 429, 'a forged cookie')
  for (const login of [user.username, user.email]) t.equal((await known.signIn(login)).statusCode, 200, 'the owner')

  const { device } = Object.fromEntries(known.cookies) as { device: string }
  for (let wrong = 0; wrong < 3; wrong++) {
    t.equal((await guess(app, user.username, { ...elsewhere(), cookies: { device } })).statusCode, 401)
  }
  t.equal(
    (await guess(app, user.username, { ...elsewhere(), cookies: { device } })).statusCode,
    429,
    'a stolen cookie is limited as well'
  )
})

t.test('POST /login: a known browser after five wrong passwords from its address (200)', async t => {
  const { app, owner } = await build(t)
  const [user, other] = [await createUser(owner), await createUser(owner)]
  const known = createBrowser(app, { address: ATTACKER })
  await known.signIn(user.username)
  for (let wrong = 0; wrong < 5; wrong++) await guess(app, 'colleague')
  t.equal((await guess(app, 'colleague')).statusCode, 429)
  t.equal((await createBrowser(app, { address: ATTACKER }).signIn(user.username)).statusCode, 429, 'a new browser')
  t.equal((await known.signIn(user.username)).statusCode, 200, 'the known one')
  t.equal((await known.signIn(other.username)).statusCode, 429, 'no guess at another account')
  for (let wrong = 0; wrong < 5; wrong++) t.equal((await known.signIn(user.username, 'wrong')).statusCode, 401)
  t.equal((await known.signIn(user.username)).statusCode, 429, 'it has five guesses of its own')
})

t.test('POST /login: guesses of all known browsers of an account together (429)', async t => {
  const { app, owner } = await build(t, { settings: { LIMIT_ACCOUNT_MAX: '1', LIMIT_LOGIN_MAX: '2' } })
  const user = await createUser(owner)
  const browsers = await Promise.all(Array.from({ length: 6 }, async () => {
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    return browser
  }))
  const statuses = []
  for (const browser of browsers) statuses.push((await browser.signIn(user.username, 'wrong')).statusCode)
  t.strictSame(statuses, [401, 401, 401, 401, 429, 429], 'four times the limit of unknown browsers')
})

t.test('POST /login: right passwords are not counted for the account (200)', async t => {
  const { app, owner } = await build(t, { settings: ACCOUNT })
  const { username } = await createUser(owner)
  for (let right = 0; right < 5; right++) t.equal((await login(app, username, PASSWORD, elsewhere())).statusCode, 200)
  for (let wrong = 0; wrong < 3; wrong++) t.equal((await guess(app, username, elsewhere())).statusCode, 401)
  t.equal((await login(app, username, PASSWORD, elsewhere())).statusCode, 429)
})
