import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { build, buildShared, secrets } from '../../support/build.ts'
import { addTotp, codeOf, wrongCode } from '../../support/second-factor.ts'

const STEP_OVER = { error: 'Login expired', message: 'Start again with your password.' }
const WRONG = { error: 'Invalid code', message: 'This code is wrong, was used already, or has expired.' }
const LIMITED = { error: 'Too many codes', message: 'Too many wrong codes. Please try again in an hour.' }

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner, log } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
  const user = await createUser(owner)
  const factor = await addTotp(owner, user.id)
  return { app, owner, log, user, factor, browser: createBrowser(app) }
}

/** A browser that has done the first step. */
async function firstStep (browser: Browser, username: string): Promise<Browser> {
  const { statusCode } = await browser.signIn(username)
  if (statusCode !== 202) throw new Error(`the first step got ${statusCode}`)
  secrets.add(browser.cookies.get('login_step') as string)
  return browser
}

const finish = (browser: Browser, code: string, more = {}) =>
  browser.post('/login/second-factor', { code, ...more })

t.test('POST /login: with a second factor, the methods and a step (202), no token', async t => {
  const { browser, user } = await setUp(t)
  const answer = await browser.signIn(user.username)
  t.equal(answer.statusCode, 202)
  t.strictSame(answer.json(), { secondFactor: ['totp', 'recovery'] })
  const lines = [answer.headers['set-cookie']].flat().map(line => String(line).replace(/=[^;]+;/, ';'))
  t.strictSame(lines, ['login_step; Max-Age=300; Path=/; HttpOnly; SameSite=Strict'])
  t.equal((await browser.get('/api/auth/me')).statusCode, 401)
  t.equal((await browser.refresh()).statusCode, 401)
})

t.test('POST /login: a wrong password reveals no second factor (401)', async t => {
  const { browser, user } = await setUp(t)
  const answer = await browser.signIn(user.username, 'wr0ng-Guess-in-the-dark!')
  t.equal(answer.statusCode, 401)
  t.strictSame(answer.json(), { error: 'Invalid credentials', message: 'Username or password is incorrect.' })
  t.strictSame([...browser.cookies.keys()], [])
})

t.test('POST /login/second-factor: the user and the tokens (200), the step is gone', async t => {
  const { browser, user, factor } = await setUp(t)
  await firstStep(browser, user.username)
  const answer = await finish(browser, codeOf(factor.secret))
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { user: { id: user.id, username: user.username, email: user.email, name: null } })
  t.strictSame([...browser.cookies.keys()].sort(), ['access_token', 'device', 'refresh_token'])
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
})

t.test('GET /login/second-factor: the account, only in the browser that began the login (200, 401)', async t => {
  const { app, browser, user, factor } = await setUp(t)
  const read = (of: Browser) => of.get('/login/second-factor')
  t.strictSame((await read(browser)).json(), STEP_OVER)
  await firstStep(browser, user.email)
  const answer = await read(browser)
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['cache-control'], 'no-store')
  t.strictSame(answer.json(), { username: user.username })
  t.equal((await read(createBrowser(app))).statusCode, 401, 'a browser without it')
  t.equal((await finish(browser, codeOf(factor.secret))).statusCode, 200, 'it uses up no try')
  t.equal((await read(browser)).statusCode, 401, 'the login is complete')
})

t.test('POST /login/second-factor: a step is used once, in the browser that began it (401)', async t => {
  const { app, browser, user, factor } = await setUp(t)
  await firstStep(browser, user.username)
  const step = browser.cookies.get('login_step') as string
  t.equal((await finish(createBrowser(app), codeOf(factor.secret))).statusCode, 401, 'a browser without it')
  t.equal((await finish(browser, codeOf(factor.secret))).statusCode, 200)
  browser.cookies.set('login_step', step)
  const again = await finish(browser, await factor.freshCode())
  t.equal(again.statusCode, 401)
  t.strictSame(again.json(), STEP_OVER)
})

t.test('POST /login/second-factor: a step of another account, changed or without signature (401)', async t => {
  const { app, owner, browser, user, factor } = await setUp(t)
  const other = await createUser(owner)
  await addTotp(owner, other.id)
  await firstStep(browser, user.username)
  const [id, userId, ...rest] = (browser.cookies.get('login_step') as string).split('.')
  const thief = createBrowser(app)
  await thief.signIn(other.username)
  for (const value of [
    [id, other.id, ...rest].join('.'),
    [id, userId, ...rest.slice(0, -1)].join('.'),
    [id, userId, 'ext', ...rest.slice(1)].join('.'),
    'undefined', '', '....', 'a.b.c.d.e',
    (thief.cookies.get('device') ?? 'x'),
  ]) {
    thief.cookies.set('login_step', value)
    t.strictSame((await finish(thief, codeOf(factor.secret))).json(), STEP_OVER, value.slice(0, 8))
  }
})

t.test('POST /login/second-factor: a step that version 0.2 began (401)', async t => {
  const { app, browser, user, factor } = await setUp(t)
  await firstStep(browser, user.username)
  const [id, userId, first, expiry, , mark] = String(app.unsignCookie(String(browser.cookies.get('login_step'))).value)
    .split('.')
  browser.cookies.set('login_step', app.signCookie([id, userId, first, expiry, mark].join('.')))
  const answer = await finish(browser, codeOf(factor.secret))
  t.equal(answer.statusCode, 401)
  t.strictSame(answer.json(), STEP_OVER)
  t.notOk(browser.cookies.has('login_step'), 'the login starts again')
})

t.test('POST /login/second-factor: after five minutes (401)', async t => {
  const { browser, user, factor } = await setUp(t)
  await firstStep(browser, user.username)
  const now = Date.now
  Date.now = () => now() + 301_000
  const answer = await finish(browser, codeOf(factor.secret)).finally(() => { Date.now = now })
  t.equal(answer.statusCode, 401)
  t.strictSame(answer.json(), STEP_OVER)
})

for (const [change, sql] of [
  ['a changed password', "UPDATE users SET password_hash = password_hash || '.' WHERE id = $1"],
  ['a disabled account', 'UPDATE users SET disabled_at = now() WHERE id = $1'],
  ['changed factors', 'UPDATE users SET factors_version = factors_version + 1 WHERE id = $1'],
  ['a deleted account', 'DELETE FROM users WHERE id = $1'],
] as const) {
  t.test(`POST /login/second-factor: ${change} ends the step (401)`, async t => {
    const { owner, browser, user, factor } = await setUp(t)
    await firstStep(browser, user.username)
    await owner.query(sql, [user.id])
    const answer = await finish(browser, codeOf(factor.secret))
    t.equal(answer.statusCode, 401)
    t.strictSame(answer.json(), STEP_OVER)
    t.notOk(browser.cookies.has('login_step'))
  })
}

t.test('POST /login/second-factor: a used code, the one before last, and a wrong one (401)', async t => {
  const { app, browser, user, factor } = await setUp(t)
  const code = codeOf(factor.secret)
  t.equal((await finish(await firstStep(browser, user.username), code)).statusCode, 200)
  const other = await firstStep(createBrowser(app), user.username)
  for (const each of [code, codeOf(factor.secret, -2), wrongCode(factor.secret)]) {
    const answer = await finish(other, each)
    t.equal(answer.statusCode, 401)
    t.strictSame(answer.json(), WRONG)
  }
  t.equal((await finish(other, codeOf(factor.secret, 1))).statusCode, 200, 'the next code')
})

t.test('POST /login/second-factor: a recovery code once (200, then 401)', async t => {
  const { app, owner, browser, user, factor: { recoveryCodes: [code = ''] } } = await setUp(t)
  t.equal((await finish(await firstStep(browser, user.username), code)).statusCode, 200)
  t.equal((await finish(await firstStep(createBrowser(app), user.username), code)).statusCode, 401)
  const other = await createUser(owner)
  await addTotp(owner, other.id)
  t.equal((await finish(await firstStep(createBrowser(app), other.username), code)).statusCode, 401, 'of another user')
})

t.test('POST /login/second-factor: a recovery code in several browsers at the same time opens one session', async t => {
  const { app, owner, user, factor: { recoveryCodes: [code = ''] } } = await setUp(t)
  const browsers = await Promise.all([1, 2, 3, 4, 5].map(() => firstStep(createBrowser(app), user.username)))
  const answers = await Promise.all(browsers.map(browser => finish(browser, code)))
  t.strictSame(answers.map(({ statusCode }) => statusCode).toSorted(), [200, 401, 401, 401, 401])
  for (const answer of answers.filter(({ statusCode }) => statusCode === 401)) t.strictSame(answer.json(), WRONG)
  t.equal(browsers.filter(({ cookies }) => cookies.has('access_token')).length, 1)
  const { rows } = await owner.query('SELECT FROM refresh_tokens WHERE user_id = $1', [user.id])
  t.equal(rows.length, 1)
})

t.test('POST /login/second-factor: five tries for each step (401)', async t => {
  const { browser, user, factor } = await setUp(t)
  await firstStep(browser, user.username)
  const step = browser.cookies.get('login_step') as string
  const wrong = wrongCode(factor.secret)
  for (let guess = 0; guess < 5; guess++) t.strictSame((await finish(browser, wrong)).json(), WRONG)
  t.strictSame((await finish(browser, await factor.freshCode())).json(), STEP_OVER)
  t.notOk(browser.cookies.has('login_step'))
  browser.cookies.set('login_step', step)
  t.strictSame((await finish(browser, await factor.freshCode())).json(), STEP_OVER)
})

t.test('ten wrong codes an hour across addresses (429); a remembered browser still gets in (200)', async t => {
  const { app, browser, user, factor } = await setUp(t)
  await firstStep(browser, user.username)
  t.equal((await finish(browser, await factor.freshCode(), { remember: true })).statusCode, 200)

  const wrong = wrongCode(factor.secret)
  for (let guess = 0; guess < 10; guess++) {
    const stranger = await firstStep(createBrowser(app), user.username)
    t.equal((await finish(stranger, wrong)).statusCode, 401)
  }
  const refused = await finish(await firstStep(createBrowser(app), user.username), await factor.freshCode())
  t.equal(refused.statusCode, 429)
  t.strictSame(refused.json(), LIMITED)
  t.ok(Number(refused.headers['retry-after']) > 3_000)

  t.equal((await browser.signIn(user.username)).statusCode, 200, 'the remembered browser')
})

t.test('a code that cannot be checked (503) does not count as a wrong one', async t => {
  const { app, owner, browser, user, factor } = await setUp(t)
  const { rows: [{ secret }] } = await owner.query('SELECT secret FROM totp WHERE user_id = $1', [user.id])
  await owner.query("UPDATE totp SET secret = 'unreadable' WHERE user_id = $1", [user.id])
  for (let attempt = 0; attempt < 12; attempt++) {
    const answer = await finish(await firstStep(createBrowser(app), user.username), codeOf(factor.secret))
    t.equal(answer.statusCode, 503)
  }
  await owner.query('UPDATE totp SET secret = $2 WHERE user_id = $1', [user.id, secret])
  t.equal((await finish(await firstStep(browser, user.username), await factor.freshCode())).statusCode, 200)
})

t.test('without the password, nobody uses up the codes of an account', async t => {
  const { app, browser, user, factor } = await setUp(t)
  for (let guess = 0; guess < 20; guess++) {
    const stranger = createBrowser(app)
    await stranger.signIn(user.username, 'wr0ng-Guess-in-the-dark!')
    t.equal((await finish(stranger, wrongCode(factor.secret))).statusCode, 401)
  }
  t.equal((await finish(await firstStep(browser, user.username), await factor.freshCode())).statusCode, 200)
})

for (const [change, sql] of [
  ['a changed password', 'UPDATE users SET password_hash = $2 WHERE id = $1'],
  ['changed factors', 'UPDATE users SET factors_version = factors_version + 1 WHERE id = $1 AND $2 <> $1::text'],
] as const) {
  t.test(`remember: this account only, until ${change}`, async t => {
    const { owner, browser, user, factor } = await setUp(t)
    await firstStep(browser, user.username)
    const answer = await finish(browser, codeOf(factor.secret), { remember: true })
    const line = [answer.headers['set-cookie']].flat().find(each => each?.startsWith('remembered_browser'))
    t.match(line, /; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    t.equal((await browser.signIn(user.username)).statusCode, 200)

    const other = await createUser(owner)
    const otherFactor = await addTotp(owner, other.id)
    t.equal((await browser.signIn(other.username)).statusCode, 202, 'another account')
    t.equal((await finish(browser, codeOf(otherFactor.secret), { remember: true })).statusCode, 200)
    for (const { username } of [user, other]) t.equal((await browser.signIn(username)).statusCode, 200, 'both')

    const bcrypt = await import('bcrypt')
    await owner.query(sql, [user.id, await bcrypt.default.hash(PASSWORD, 4)])
    t.equal((await browser.signIn(user.username)).statusCode, 202)
  })
}

t.test('a browser that version 0.2 remembers stays remembered, for as long as before', async t => {
  const { app, browser, user, factor } = await setUp(t)
  await firstStep(browser, user.username)
  await finish(browser, codeOf(factor.secret), { remember: true })
  const present = browser.cookies.get('remembered_browser') as string
  const value = app.unsignCookie(present).value as string
  t.match(value, /^\d+-[\w-]{43}\.~remembered_browser$/, '0.2 takes the name for one that has expired')
  browser.cookies.set('remembered_browser', app.signCookie(value.replace(/\.~.*/, '')))
  const answer = await browser.signIn(user.username)
  t.equal(answer.statusCode, 200)
  t.equal(browser.cookies.get('remembered_browser'), present, 'in the present form')
  const written = answer.cookies.find(({ name }) => name === 'remembered_browser') as { maxAge: number }
  t.ok(written.maxAge <= 30 * 86_400 && written.maxAge > 29 * 86_400)
})

t.test('REMEMBER_BROWSER_DAYS=0: no browser is remembered', async t => {
  const { browser, user, factor } = await setUp(t, { REMEMBER_BROWSER_DAYS: '0' })
  await firstStep(browser, user.username)
  t.equal((await finish(browser, codeOf(factor.secret), { remember: true })).statusCode, 200)
  t.notOk(browser.cookies.has('remembered_browser'))
  t.equal((await browser.signIn(user.username)).statusCode, 202)
})

t.test('no other route accepts a step', async t => {
  const routes: Array<[string, string]> = []
  const { app, owner } = await build(t, {
    settings: { ...NO_LIMITS, TOKEN_AUDIENCES: 'orders' },
    before: app => app.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) if (url.startsWith('/api/')) routes.push([each, url])
    }),
  })
  const user = await createUser(owner)
  await addTotp(owner, user.id)
  const browser = await firstStep(createBrowser(app), user.username)
  const step = browser.cookies.get('login_step') as string
  for (const name of ['access_token', 'refresh_token', '_csrf']) browser.cookies.set(name, step)
  const sent: string[] = []
  for (const [method, url] of routes) {
    if (/provider-|\/session$|password\/check$|\*/.test(url)) continue
    const address = url.replace(/:\w+/, '0d9c2f5e-6a41-4b8e-9f0e-3c1d7a52b684')
    const answer = await browser.send(method as 'GET', address, method === 'GET' || method === 'HEAD' ? undefined : {})
    t.match(String(answer.statusCode), /^40[0-4]$/, `${method} ${url}`)
    t.notOk(answer.cookies.some(({ name, value }) => name.endsWith('_token') && value), url)
    sent.push(url)
  }
  t.ok(sent.length > 15)
  t.equal((await browser.get('/api/auth/session')).json().user, null)
})

t.test('POST /login/second-factor: malformed (400)', async t => {
  const { browser, user } = await setUp(t)
  await firstStep(browser, user.username)
  for (const body of [{}, { code: 123456 }, { code: '12345' }, { code: 'x'.repeat(41) }, { code: 'drop table' },
    { code: '123456', remember: 'yes' }, { code: '123456', other: 1 }]) {
    t.equal((await browser.post('/login/second-factor', body)).statusCode, 400, JSON.stringify(body))
  }
})
