import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../../support/browser.ts'
import { build, createDatabase, secrets } from '../../support/build.ts'
import { addTotp, codeOf } from '../../support/second-factor.ts'

const REQUIRED = { error: 'Second factor required', message: 'Add a second factor to your account to continue.' }

const { owner, settings } = await createDatabase(t)
const all = { ...NO_LIMITS, ...settings, TOKEN_AUDIENCES: 'orders' }
const { app: before } = await build(t, { settings: all })
const { app } = await build(t, { settings: { ...all, SECOND_FACTOR: 'required' } })

function setUp (t: Test) {
  t.teardown(() => owner.query('DELETE FROM users'))
  return createUser(owner)
}

async function enrol (browser: Browser) {
  const { secret } = (await browser.guarded('POST', '/api/auth/factors/totp')).json()
  secrets.add(secret)
  const answer = await browser.guarded('POST', '/api/auth/factors/totp/confirm', { code: codeOf(secret) })
  for (const code of answer.json().recoveryCodes ?? []) secrets.add(code)
  return answer.statusCode
}

/** What a session without a second factor must not do. */
async function statuses (browser: Browser) {
  return {
    me: (await browser.get('/api/auth/me')).json(),
    account: (await browser.get('/api/auth/account')).statusCode,
    sessions: (await browser.get('/api/auth/sessions')).statusCode,
    content: (await browser.get('/api/content')).statusCode,
    verify: (await browser.get('/api/auth/verify')).statusCode,
    token: (await browser.post('/api/auth/token', { audience: 'orders' })).statusCode,
    deletion: (await browser.guarded('DELETE', '/api/auth/me', {})).statusCode,
    session: (await browser.get('/api/auth/session')).json().user,
  }
}

const NOTHING = {
  me: REQUIRED, account: 403, sessions: 403, content: 403, verify: 401, token: 403, deletion: 403, session: null,
}

t.test('SECOND_FACTOR=required: a new session can do nothing but add one, and then everything', async t => {
  const user = await setUp(t)
  const browser = createBrowser(app)
  t.equal((await browser.signIn(user.username)).statusCode, 200)
  t.strictSame(await statuses(browser), NOTHING)
  t.equal((await browser.get('/api/auth/session')).json().mustEnrol, true)
  t.equal((await browser.refresh()).statusCode, 200)
  t.strictSame(await statuses(browser), NOTHING, 'also after a refresh')
  t.match((await browser.get('/api/auth/factors')).json(), { totp: false, required: true })

  t.equal(await enrol(browser), 200)
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
  t.notOk('mustEnrol' in (await browser.get('/api/auth/session')).json())
  t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
})

t.test('SECOND_FACTOR=required: the last one cannot be removed (409)', async t => {
  const user = await setUp(t)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await enrol(browser)
  t.equal((await browser.guarded('DELETE', '/api/auth/factors/totp')).statusCode, 409)
  t.equal((await owner.query('SELECT FROM totp')).rowCount, 1)
})

t.test('SECOND_FACTOR=required: sessions from before must add one after their next refresh', async t => {
  const user = await setUp(t)
  const old = createBrowser(before)
  await old.signIn(user.username)
  const browser = createBrowser(app)
  for (const [name, value] of old.cookies) browser.cookies.set(name, value)
  t.equal((await browser.refresh()).statusCode, 200)
  t.strictSame(await statuses(browser), NOTHING)

  const prepared = await createUser(owner)
  const factor = await addTotp(owner, prepared.id)
  const other = createBrowser(app)
  t.equal((await other.signIn(prepared.username)).statusCode, 202)
  t.equal((await other.post('/login/second-factor', { code: codeOf(factor.secret) })).statusCode, 200)
  t.equal((await other.get('/api/auth/me')).statusCode, 200)
  await app.administration.resetFactors(await app.users.findById(prepared.id) as never)
  t.equal((await other.refresh()).statusCode, 200)
  t.strictSame((await other.get('/api/auth/me')).json(), REQUIRED, 'after an operator removed it')
})

t.test('SECOND_FACTOR=required: signing out works', async t => {
  const user = await setUp(t)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  t.equal((await browser.post('/logout')).statusCode, 204)
  t.equal((await browser.get('/api/auth/factors')).statusCode, 401)
})
