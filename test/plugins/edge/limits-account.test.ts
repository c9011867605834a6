import t from 'tap'
import { createBrowser, createUser, PASSWORD } from '../../support/browser.ts'
import { build, buildShared, withoutRedis } from '../../support/build.ts'
import { countChecks, guess, login, newAddress, twoInstances } from '../../support/password-guesses.ts'

const REFUSED = { error: 'Too many login attempts', message: 'Please try again after 15 minutes', retryAfter: 900 }
const ACCOUNT = { LIMIT_ACCOUNT_MAX: '3' }
const elsewhere = () => ({ remoteAddress: newAddress() })

t.test('POST /login: many addresses guess at one account, in any spelling (429)', { skip: withoutRedis }, async t => {
  const { one, two, owner } = await twoInstances(ACCOUNT)
  const checks = countChecks(one, two)
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
  const { app, owner } = await buildShared(t, { settings: ACCOUNT })
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
  const { app, owner } = await buildShared(t)
  const client = elsewhere()
  const newBrowser = () => createBrowser(app, { address: client.remoteAddress })
  const [user, other] = [await createUser(owner), await createUser(owner)]
  const known = newBrowser()
  await known.signIn(user.username)
  for (let wrong = 0; wrong < 5; wrong++) await guess(app, 'colleague', client)
  t.equal((await guess(app, 'colleague', client)).statusCode, 429)
  t.equal((await newBrowser().signIn(user.username)).statusCode, 429, 'a new browser')
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
  const { app, owner } = await buildShared(t, { settings: ACCOUNT })
  const { username } = await createUser(owner)
  for (let right = 0; right < 5; right++) t.equal((await login(app, username, PASSWORD, elsewhere())).statusCode, 200)
  for (let wrong = 0; wrong < 3; wrong++) t.equal((await guess(app, username, elsewhere())).statusCode, 401)
  t.equal((await login(app, username, PASSWORD, elsewhere())).statusCode, 429)
})
