import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { addTotp, codeOf, wrongCode } from '../../../support/second-factor.ts'

const PATH = '/api/auth/reauthenticate'

async function setUp (t: Test, { withTotp = false } = {}) {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const factor = withTotp ? await addTotp(owner, user.id) : undefined
  const age = () => owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour' WHERE user_id = $1",
    [user.id])
  await age()
  const isFresh = async () => (await browser.guarded('POST', '/api/auth/factors/recovery-codes')).statusCode !== 403
  const claims = () => JSON.parse(
    Buffer.from(String(browser.cookies.get('access_token')).split('.')[1] ?? '', 'base64url').toString())
  return { app, owner, user, browser, factor, age, isFresh, claims }
}

t.test('POST /api/auth/reauthenticate: the password (204), for ten minutes', async t => {
  const { user, browser, age, isFresh, claims } = await setUp(t)
  t.equal(await isFresh(), false)
  const answer = await browser.guarded('POST', PATH, { password: PASSWORD })
  t.equal(answer.statusCode, 204)
  t.equal(await isFresh(), true)
  t.strictSame(claims().amr, ['pwd'])
  t.ok(Math.abs(claims().auth_time - Date.now() / 1_000) < 60)
  t.match((await browser.get('/api/auth/events')).json().events[0], { what: 'identity_confirmed' })
  await browser.refresh()
  t.equal(await isFresh(), true, 'also after a refresh')
  t.equal((await browser.get('/api/auth/me')).json().id, user.id)
  await age()
  t.equal(await isFresh(), false)
})

t.test('POST /api/auth/reauthenticate: a wrong password (403), which counts for the account', async t => {
  const { browser, isFresh } = await setUp(t)
  const answer = await browser.guarded('POST', PATH, { password: 'wr0ng-Guess-in-the-dark!' })
  t.equal(answer.statusCode, 403)
  t.equal(answer.json().error, 'Wrong password')
  t.equal(await isFresh(), false)
})

t.test('POST /api/auth/reauthenticate: with a second factor, a code and not the password', async t => {
  const { browser, factor, isFresh, claims } = await setUp(t, { withTotp: true })
  const refused = await browser.guarded('POST', PATH, { password: PASSWORD })
  t.equal(refused.statusCode, 403)
  t.match(refused.json(), { error: 'Confirm it is you', methods: ['totp', 'recovery'] })
  t.equal(await isFresh(), false)
  const wrong = await browser.guarded('POST', PATH, { code: wrongCode(String(factor?.secret)) })
  t.equal(wrong.statusCode, 403)
  t.equal(wrong.json().error, 'Invalid code')

  t.equal((await browser.guarded('POST', PATH, { code: codeOf(String(factor?.secret)) })).statusCode, 204)
  t.equal(await isFresh(), true)
  t.strictSame(claims().amr, ['pwd', 'otp', 'mfa'])
})

t.test('POST /api/auth/reauthenticate: a recovery code (204)', async t => {
  const { browser, factor, isFresh } = await setUp(t, { withTotp: true })
  t.equal((await browser.guarded('POST', PATH, { code: factor?.recoveryCodes[0] })).statusCode, 204)
  t.equal(await isFresh(), true)
})

t.test('POST /api/auth/reauthenticate: a code without a second factor (403)', async t => {
  const { browser } = await setUp(t)
  const answer = await browser.guarded('POST', PATH, { code: '123456' })
  t.equal(answer.statusCode, 403)
  t.match(answer.json(), { error: 'Confirm it is you', methods: ['password'] })
})

t.test('ten wrong codes in a session (429) lock neither another session nor the login', async t => {
  const { app, user, browser, factor } = await setUp(t, { withTotp: true })
  for (let guess = 0; guess < 10; guess++) {
    const answer = await browser.guarded('POST', PATH, { code: wrongCode(String(factor?.secret)) })
    t.equal(answer.statusCode, 403)
  }
  const refused = await browser.guarded('POST', PATH, { code: await factor?.freshCode() })
  t.equal(refused.statusCode, 429)
  t.equal(refused.json().error, 'Too many codes')
  const other = createBrowser(app)
  await other.signIn(user.username)
  t.equal((await other.post('/login/second-factor', { code: await factor?.freshCode() })).statusCode, 200)
  t.equal((await other.guarded('POST', PATH, { code: await factor?.freshCode() })).statusCode, 204)
})

t.test('POST /api/auth/reauthenticate: malformed (400), without CSRF token (403), ended session (401)', async t => {
  const { owner, browser } = await setUp(t)
  for (const body of [{}, { password: PASSWORD, code: '123456' }, { code: 123456 }, { passcode: '1' }]) {
    t.equal((await browser.guarded('POST', PATH, body)).statusCode, 400, JSON.stringify(body))
  }
  t.equal((await browser.post(PATH, { password: PASSWORD })).statusCode, 403)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  await owner.query('UPDATE refresh_tokens SET revoked_at = now()')
  const ended = await browser.send('POST', PATH, { password: PASSWORD }, { 'x-csrf-token': csrfToken })
  t.equal(ended.statusCode, 401)
})

t.test('DELETE /api/auth/me: with a second factor only after a fresh proof (403, 204)', async t => {
  const { owner, user, browser, factor } = await setUp(t, { withTotp: true })
  const refused = await browser.guarded('DELETE', '/api/auth/me', { password: PASSWORD })
  t.equal(refused.statusCode, 403)
  t.match(refused.json(), { error: 'Confirm it is you', methods: ['totp', 'recovery'] })
  await browser.guarded('POST', PATH, { code: codeOf(String(factor?.secret)) })
  t.equal((await browser.guarded('DELETE', '/api/auth/me', { password: PASSWORD })).statusCode, 204)
  t.equal((await owner.query('SELECT FROM users WHERE id = $1', [user.id])).rowCount, 0)
})

t.test('DELETE /api/auth/me: without a second factor the password is proof enough (204)', async t => {
  const { browser } = await setUp(t)
  t.equal((await browser.guarded('DELETE', '/api/auth/me', { password: PASSWORD })).statusCode, 204)
})
