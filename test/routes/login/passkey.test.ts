import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { createAuthenticator, type Fault } from '../../support/authenticator.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, buildShared, redisUrl, withoutRedis } from '../../support/build.ts'
import { enrolled, ORIGIN, signInWithPasskey, usePasskey } from '../../support/passkeys.ts'

const SETTINGS = { ...NO_LIMITS, PUBLIC_URL: ORIGIN }
const REFUSAL = {
  error: 'Invalid passkey',
  message: 'This passkey could not be used. Try again, or use another way.',
}

async function setUp (t: Test) {
  const { app, owner } = await buildShared(t, { settings: SETTINGS })
  const user = await createUser(owner)
  const home = createBrowser(app)
  await home.signIn(user.username)
  return { app, owner, user, home, ...await enrolled(home) }
}

function isRefused (t: Test, answer: LightMyRequestResponse, what = 'refused') {
  t.equal(answer.statusCode, 401, what)
  t.strictSame(answer.json(), REFUSAL, what)
}

const claimsOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

t.test('POST /login/passkey: signs in without a username, as two factors (200)', async t => {
  const { app, owner, user, authenticator } = await setUp(t)
  const browser = createBrowser(app)
  const options = await browser.post('/login/passkey/options')
  t.equal(options.statusCode, 200)
  t.match(options.json(), { rpId: 'auth.example.com', userVerification: 'required', timeout: 300_000 })
  t.notOk(options.json().allowCredentials, 'no account is named')
  const [cookie] = options.cookies as Array<Record<string, unknown>>
  t.match(cookie, { name: 'passkey_challenge', httpOnly: true, sameSite: 'Strict', maxAge: 300 })

  const answer = await browser.post('/login/passkey', { response: authenticator.get(options.json()) })
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { user: { id: user.id, username: user.username, email: user.email, name: null } })
  t.strictSame(claimsOf(browser.cookies.get('access_token')).amr, ['hwk', 'mfa'])
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
  t.equal((await owner.query('SELECT FROM passkeys WHERE last_used_at IS NOT NULL')).rowCount, 1)
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'sign_in'")).rowCount, 2)
})

const FAULTS: Record<string, Fault> = {
  'no user verification': { userVerified: false },
  'no user presence': { userPresent: false },
  'another origin': { origin: 'https://auth.example.com.evil.example' },
  'another port': { origin: 'https://auth.example.com:8443' },
  'another relying party': { rpId: 'example.com' },
  'another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
  'an answer to create()': { type: 'webauthn.create' },
  'a wrong signature': { forged: true },
  'the user handle of nobody': { userHandle: Buffer.alloc(32, 1).toString('base64url') },
  'no user handle': { userHandle: null },
}

for (const [what, fault] of Object.entries(FAULTS)) {
  t.test(`POST /login/passkey: ${what} (401)`, async t => {
    const { app, owner, authenticator } = await setUp(t)
    const browser = createBrowser(app)
    isRefused(t, await signInWithPasskey(browser, authenticator, fault))
    t.notOk(browser.cookies.has('access_token'))
    t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'sign_in_failed'")).rowCount, 1)
    t.equal((await signInWithPasskey(browser, authenticator)).statusCode, 200, 'the passkey itself works')
  })
}

t.test('POST /login/passkey: unknown, deleted, of another user, of a disabled account: one response (401)', async t => {
  const { app, owner, user, authenticator, passkey } = await setUp(t)
  const browser = createBrowser(app)
  const refused = async (what: string, from = authenticator, fault: Fault = {}) => {
    const answer = await signInWithPasskey(browser, from, fault)
    isRefused(t, answer, what)
    return answer
  }
  const stranger = createAuthenticator(ORIGIN)
  const unknown = await refused('unknown', stranger, { userHandle: authenticator.handle })

  const other = await createUser(owner)
  const elsewhere = createBrowser(app)
  await elsewhere.signIn(other.username)
  const { authenticator: theirs } = await enrolled(elsewhere)
  await refused('the handle of another user', authenticator, { userHandle: theirs.handle })

  await owner.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id])
  const disabled = await refused('disabled')
  t.strictSame(Object.keys(disabled.headers), Object.keys(unknown.headers))
  await owner.query('UPDATE users SET disabled_at = NULL WHERE id = $1', [user.id])
  t.equal((await signInWithPasskey(browser, authenticator)).statusCode, 200)

  t.equal((await browser.guarded('DELETE', `/api/auth/factors/passkeys/${passkey.id}`)).statusCode, 204)
  await refused('deleted')
})

t.test('POST /login/passkey: a challenge is used once, also after a failure, and in its own browser only', async t => {
  const { app, authenticator } = await setUp(t)
  const [mine, other] = [createBrowser(app), createBrowser(app)]
  const response = await usePasskey(mine, authenticator)
  await other.post('/login/passkey/options')
  isRefused(t, await other.post('/login/passkey', { response }), 'another browser')
  t.equal((await mine.post('/login/passkey', { response })).statusCode, 200)
  isRefused(t, await mine.post('/login/passkey', { response }), 'replayed')

  const options = (await mine.post('/login/passkey/options')).json()
  const forged = authenticator.get(options, { forged: true })
  isRefused(t, await mine.post('/login/passkey', { response: forged }))
  isRefused(t, await mine.post('/login/passkey', { response: authenticator.get(options) }), 'used up')
})

t.test('POST /login/passkey: two tabs of one browser, each with its own challenge (200)', async t => {
  const { app, authenticator } = await setUp(t)
  const browser = createBrowser(app)
  const [first, second] = [await usePasskey(browser, authenticator), await usePasskey(browser, authenticator)]
  t.equal((await browser.post('/login/passkey', { response: first })).statusCode, 200)
  t.equal((await browser.post('/login/passkey', { response: second })).statusCode, 200)
})

t.test('POST /login/passkey: a challenge expires after five minutes, whatever cookies are sent (401)', async t => {
  const { app, authenticator } = await setUp(t)
  const browser = createBrowser(app)
  const response = await usePasskey(browser, authenticator)
  const cookie = browser.cookies.get('passkey_challenge') as string
  const { value } = app.unsignCookie(cookie)
  const [purpose, challenge, expiry] = (value as string).split('.')
  const signedFor = (expiresAt: number) =>
    app.signCookie([purpose, challenge, expiresAt, '~passkey_challenge'].join('.'))
  browser.cookies.set('passkey_challenge', signedFor(Math.floor(Date.now() / 1_000) - 1))
  isRefused(t, await browser.post('/login/passkey', { response }), 'expired')
  browser.cookies.set('passkey_challenge', [purpose, challenge, expiry].join('.'))
  isRefused(t, await browser.post('/login/passkey', { response }), 'not signed')
  browser.cookies.set('passkey_challenge', cookie)
  t.equal((await browser.post('/login/passkey', { response })).statusCode, 200)
})

t.test('POST /login/passkey: one answer fifty times at once, at two instances: one success', {
  skip: withoutRedis,
}, async t => {
  const settings = { ...SETTINGS, REDIS_URL: await redisUrl(t), REDIS_PREFIX: `passkeys:${process.pid}:` }
  const { app, owner } = await build(t, { settings })
  const { app: second } = await build(t, { settings: { ...settings, DATABASE_URL: app.config.DATABASE_URL as string } })
  const user = await createUser(owner)
  const home = createBrowser(app)
  await home.signIn(user.username)
  const { authenticator } = await enrolled(home)
  const browser = createBrowser(app)
  const response = await usePasskey(browser, authenticator)
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 ? app : second).inject({
    method: 'POST',
    url: '/login/passkey',
    payload: { response },
    cookies: Object.fromEntries(browser.cookies),
  })))
  const statuses = answers.map(({ statusCode }) => statusCode)
  t.equal(statuses.filter(status => status === 200).length, 1)
  t.strictSame([...new Set(statuses)].sort(), [200, 401])
})

t.test('POST /login/passkey: a counter must go up; 0 is for synced passkeys', async t => {
  const { authenticator: synced, home: browser } = await setUp(t)
  for (let use = 0; use < 2; use++) t.equal((await signInWithPasskey(browser, synced)).statusCode, 200)
  const { authenticator } = await enrolled(browser, { counts: true })
  const signInWith = (counter: number) => signInWithPasskey(browser, authenticator, { counter })
  t.equal((await signInWith(10)).statusCode, 200)
  isRefused(t, await signInWith(9), 'it went back')
  isRefused(t, await signInWith(10), 'it is the same')
  isRefused(t, await signInWith(0), 'it is gone')
  t.equal((await signInWith(11)).statusCode, 200)
})

t.test('POST /login/passkey: the sixth refusal of a client (429), wrong passwords do not count', async t => {
  const { app, owner } = await buildShared(t, { settings: { PUBLIC_URL: ORIGIN } })
  const user = await createUser(owner)
  const home = createBrowser(app)
  await home.signIn(user.username)
  const { authenticator } = await enrolled(home)
  const office = { address: '10.9.8.7' }
  for (let guess = 0; guess < 6; guess++) await createBrowser(app, office).signIn(user.username, 'wrong')
  t.equal((await signInWithPasskey(createBrowser(app, office), authenticator)).statusCode, 200)

  const browser = createBrowser(app, office)
  for (let guess = 0; guess < 5; guess++) {
    t.equal((await signInWithPasskey(browser, authenticator, { forged: true })).statusCode, 401)
  }
  const limited = await signInWithPasskey(browser, authenticator)
  t.equal(limited.statusCode, 429)
  t.match(limited.headers, { 'retry-after': /^\d+$/, 'ratelimit-limit': '5', 'ratelimit-remaining': '0' })
  t.equal((await signInWithPasskey(createBrowser(app), authenticator)).statusCode, 200, 'another client')
})
