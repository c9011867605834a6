import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../../support/browser.ts'
import { buildShared } from '../../support/build.ts'
import { enrolled, ORIGIN, signInWithPasskey, usePasskey, type Authenticator } from '../../support/passkeys.ts'
import { addTotp, codeOf, wrongCode } from '../../support/second-factor.ts'

const claimsOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, PUBLIC_URL: ORIGIN, ...settings } })
  async function newcomer () {
    const user = await createUser(owner)
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    return { user, browser, ...await enrolled(browser) }
  }
  return { app, owner, newcomer, ...await newcomer() }
}

const finish = async (browser: Browser, authenticator: Authenticator, fault = {}, rest = {}) =>
  browser.post('/login/second-factor', { passkey: await usePasskey(browser, authenticator, fault), ...rest })

t.test('POST /login, then POST /login/second-factor with a passkey (202, 200)', async t => {
  const { app, user, authenticator } = await setUp(t)
  const browser = createBrowser(app)
  const asked = await browser.signIn(user.username)
  t.equal(asked.statusCode, 202)
  t.strictSame(asked.json(), { secondFactor: ['passkey'] })
  t.notOk(browser.cookies.has('access_token'))

  const finished = await finish(browser, authenticator, {}, { remember: true })
  t.equal(finished.statusCode, 200)
  t.match(finished.json(), { user: { username: user.username } })
  t.strictSame(claimsOf(browser.cookies.get('access_token')).amr, ['pwd', 'hwk', 'mfa'])
  await browser.post('/logout')
  t.equal((await browser.signIn(user.username)).statusCode, 200, 'this browser is remembered')
})

t.test('POST /login/second-factor: a passkey of another user, a wrong one, a replayed one (401)', async t => {
  const { app, owner, user, authenticator, newcomer } = await setUp(t)
  const { authenticator: theirs } = await newcomer()
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  for (const [what, from, fault] of [
    ['of another user', theirs, {}],
    ['without user verification', authenticator, { userVerified: false }],
    ['wrong signature', authenticator, { forged: true }],
  ] as const) {
    const refused = await finish(browser, from, fault)
    t.equal(refused.statusCode, 401, what)
    t.match(refused.json(), { error: 'Invalid passkey' }, what)
  }
  t.notOk(browser.cookies.has('access_token'))
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'second_factor_failed'")).rowCount, 3)

  const passkey = await usePasskey(browser, authenticator)
  t.equal((await browser.post('/login/second-factor', { passkey })).statusCode, 200)
  await browser.post('/logout')
  browser.cookies.delete('device')
  await browser.signIn(user.username)
  t.match((await browser.post('/login/second-factor', { passkey })).json(), { error: 'Invalid passkey' }, 'replayed')
})

t.test('POST /login/second-factor: a passkey without the password first, or after five tries (401)', async t => {
  const { app, user, authenticator } = await setUp(t)
  const browser = createBrowser(app)
  const without = await finish(browser, authenticator)
  t.equal(without.statusCode, 401)
  t.not(without.json().error, 'Invalid passkey')

  await browser.signIn(user.username)
  for (let guess = 0; guess < 5; guess++) await finish(browser, authenticator, { forged: true })
  t.equal((await finish(browser, authenticator)).statusCode, 401)
  await browser.signIn(user.username)
  t.equal((await finish(browser, authenticator)).statusCode, 200, 'a new login, and no lock-out')
})

t.test('ten wrong codes in an hour (429): passkeys still work, as the second step and alone (200)', async t => {
  const { app, owner, user, authenticator } = await setUp(t)
  const { secret } = await addTotp(owner, user.id)
  const answer = async (code: string) => {
    const stranger = createBrowser(app)
    await stranger.signIn(user.username)
    return (await stranger.post('/login/second-factor', { code })).statusCode
  }
  for (let guess = 0; guess < 10; guess++) t.equal(await answer(wrongCode(secret)), 401)
  t.equal(await answer(codeOf(secret)), 429)

  const browser = createBrowser(app)
  await browser.signIn(user.username)
  t.equal((await finish(browser, authenticator)).statusCode, 200)
  t.equal((await signInWithPasskey(createBrowser(app), authenticator)).statusCode, 200)
})

t.test('POST /api/auth/reauthenticate with a passkey (204); of another user or wrong (403)', async t => {
  const { app, owner, user, authenticator, passkey, newcomer } = await setUp(t)
  const { authenticator: theirs } = await newcomer()
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await finish(browser, authenticator)
  const rename = async () =>
    (await browser.guarded('PATCH', `/api/auth/factors/passkeys/${passkey.id}`, { name: 'x' })).statusCode
  const confirm = async (from: Authenticator, fault = {}) => browser.guarded(
    'POST', '/api/auth/reauthenticate', { passkey: await usePasskey(browser, from, fault) })
  t.equal(await rename(), 200)
  await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 hour'")
  t.equal(await rename(), 403)

  for (const refused of [await confirm(theirs), await confirm(authenticator, { userVerified: false })]) {
    t.equal(refused.statusCode, 403)
    t.match(refused.json(), { error: 'Invalid passkey' })
  }
  t.equal(await rename(), 403)
  t.equal((await confirm(authenticator)).statusCode, 204)
  t.equal(await rename(), 200)
  t.strictSame(claimsOf(browser.cookies.get('access_token')).amr, ['pwd', 'hwk', 'mfa'])
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'identity_confirmed'")).rowCount, 1)
})

t.test('GET /api/auth/factors: the passkeys of the account, and of no other (200)', async t => {
  const { browser, authenticator, newcomer } = await setUp(t)
  await newcomer()
  const { passkeys, passkeyUserId, totp, recoveryCodesLeft } = (await browser.get('/api/auth/factors')).json()
  t.equal(passkeyUserId, authenticator.handle)
  t.equal(passkeys.length, 1)
  t.match(passkeys, [{ name: 'Laptop', credentialId: authenticator.id, synced: true, lastUsedAt: null }])
  t.strictSame([totp, recoveryCodesLeft], [false, 0])
})

t.test('SECOND_FACTOR=required: a passkey is enrolment enough, and the last one stays (201, 409)', async t => {
  const { app, owner } = await buildShared(t, {
    settings: { ...NO_LIMITS, PUBLIC_URL: ORIGIN, SECOND_FACTOR: 'required' },
  })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  t.equal((await browser.get('/api/auth/sessions')).statusCode, 403, 'nothing but enrolment')
  const { passkey } = await enrolled(browser)
  t.equal((await browser.get('/api/auth/sessions')).statusCode, 200)
  const removed = await browser.guarded('DELETE', `/api/auth/factors/passkeys/${passkey.id}`)
  t.equal(removed.statusCode, 409)
})
