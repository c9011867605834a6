import { exportJWK, generateKeyPair } from 'jose'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../support/browser.ts'
import { build, createDatabase } from '../../../support/build.ts'
import { enrolled, signInWithPasskey } from '../../../support/passkeys.ts'
import { addTotp, codeOf } from '../../../support/second-factor.ts'
import { challengeOf, createDevice, PROOF } from '../../../support/devices/software-key.ts'

const REFRESH = '/api/auth/refresh'
const OFFER = 'secure-session-registration'
const ALARM = 'session_theft_suspected'

const { owner, settings } = await createDatabase(t)
const on = { ...NO_LIMITS, ...settings, PUBLIC_URL: 'https://auth.example.com', DEVICE_BOUND_SESSIONS: 'on' }
const { app } = await build(t, { settings: on })

async function row (userId: string) {
  const { rows: [row] } = await owner.query(`
    SELECT id, generation, device_key, revoked_at FROM refresh_tokens
    WHERE user_id = $1 ORDER BY revoked_at NULLS FIRST`, [userId])
  return row
}

async function alarms (userId: string) {
  return (await owner.query('SELECT FROM auth_events WHERE user_id = $1 AND what = $2', [userId, ALARM])).rowCount
}

/** A person whose session is bound to a key. */
async function signedIn (service = app) {
  const user = await createUser(owner)
  const browser = createBrowser(service)
  const device = await createDevice()
  const { headers } = await browser.signIn(user.username)
  await device.register(browser, headers[OFFER])
  return { user, browser, device, offer: headers[OFFER] }
}

/** The cookies in another place. */
function copyOf ({ cookies }: { cookies: Map<string, string> }, service = app) {
  const copy = createBrowser(service, { userAgent: 'curl/8' })
  for (const [name, value] of cookies) copy.cookies.set(name, value)
  return copy
}

t.test('POST /login: offers to bind the session, only with the setting', async t => {
  const { username } = await createUser(owner)
  const answer = await createBrowser(app).signIn(username)
  t.match(answer.headers[OFFER], /^\(ES256 RS256\);path="\/api\/auth\/device";challenge="[\w.~+/-]+"$/)
  const { app: unset } = await build(t, { settings: { ...on, DEVICE_BOUND_SESSIONS: 'off' } })
  t.notOk(OFFER in (await createBrowser(unset).signIn(username)).headers)
})

t.test('POST /api/auth/device: binds the session (200), with either kind of key', async t => {
  for (const alg of ['ES256', 'RS256'] as const) {
    const user = await createUser(owner)
    const browser = createBrowser(app)
    const device = await createDevice(alg)
    const { headers } = await browser.signIn(user.username)
    // The registration after the callback of a provider comes without cookies, as from another site.
    const stranger = createBrowser(app)
    const answer = await device.register(stranger, headers[OFFER])
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), {
      refresh_url: PROOF,
      scope: { include_site: false },
      credentials: [{ type: 'cookie', name: 'device_proof', attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict' }],
    })
    t.match(await row(user.id), { device_key: /^[\w-]{43}$/ })
    t.equal((await device.register(browser, headers[OFFER])).statusCode, 200, 'again, as after a lost response')
    t.equal((await device.prove(browser)).statusCode, 200)
    t.match(await browser.refresh(), { statusCode: 200 })
    t.match(await row(user.id), { generation: 1 })
  }
})

t.test('POST /api/auth/device: nothing else is bound (403)', async t => {
  const { user, browser, offer } = await signedIn()
  const { device_key: key } = await row(user.id)
  const thief = await createDevice()
  t.equal((await thief.register(copyOf(browser), offer)).statusCode, 403, 'another key for a bound session')
  t.match(await row(user.id), { device_key: key })

  const late = await createUser(owner)
  const first = await createBrowser(app).signIn(late.username)
  await owner.query(
    "UPDATE refresh_tokens SET signed_in_at = now() - interval '6 minutes' WHERE user_id = $1", [late.id])
  t.equal((await thief.register(createBrowser(app), first.headers[OFFER])).statusCode, 403, 'too late')

  const used = await createUser(owner)
  const refreshed = createBrowser(app)
  const second = await refreshed.signIn(used.username)
  const answer = await refreshed.refresh()
  t.notOk(OFFER in answer.headers, 'an open session is offered nothing')
  t.equal((await thief.register(refreshed, second.headers[OFFER])).statusCode, 403, 'after a refresh')

  const other = await createUser(owner)
  const third = (await createBrowser(app).signIn(other.username)).headers[OFFER]
  const small = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const hmac = new Uint8Array(32)
  for (const [what, signed] of [
    ['another type of token', { typ: 'jwt' }],
    ['no key', { withKey: false }],
    ['the key of another device', { withKey: (await createDevice()).jwk }],
    ['a symmetric algorithm', { alg: 'HS256', key: hmac }],
    ['a symmetric key', { alg: 'HS256', key: hmac, withKey: { kty: 'oct', k: 'AAAA' } }],
    ['an unusual exponent', {
      alg: 'RS256', key: small.privateKey, withKey: { ...await exportJWK(small.publicKey), e: 'Aw' },
    }],
    ['a modulus that takes long to check', { withKey: { kty: 'RSA', n: 'A'.repeat(2_000), e: 'AQAB' } }],
  ] as const) t.equal((await thief.register(createBrowser(app), third, signed)).statusCode, 403, what)
  for (const forged of ['', 'garbage', `challenge="${challengeOf(third).slice(0, -2)}AA"`]) {
    t.equal((await thief.register(createBrowser(app), forged)).statusCode, 403, forged)
  }
  t.match(await row(other.id), { device_key: null })
})

t.test('POST /api/auth/refresh: sessions that are not bound work as before (200)', async t => {
  const { username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  for (let turn = 0; turn < 3; turn++) t.equal((await browser.refresh()).statusCode, 200)
})

t.test('POST /api/auth/refresh: needs a proof for each refresh token', async t => {
  const { user, browser, device } = await signedIn()
  for (let turn = 0; turn < 3; turn++) {
    t.equal((await device.prove(browser)).statusCode, 200)
    t.ok(browser.cookies.has('device_proof'))
    t.equal((await browser.refresh()).statusCode, 200)
    t.notOk(browser.cookies.has('device_proof'), 'a proof is used up')
  }
  t.equal(await alarms(user.id), 0)
})

type Person = Awaited<ReturnType<typeof signedIn>>

/** What a thief with these cookies tries: nothing works, it is recorded, and the owner goes on. */
async function isRefused (t: Test, who: Person, thief: Person['browser'], what: string) {
  const before = await alarms(who.user.id)
  const answer = await thief.refresh()
  t.equal(answer.statusCode, 401, what)
  t.notOk(answer.cookies.some(({ name }) => name.endsWith('_token')), 'no token is set or cleared')
  t.equal(await alarms(who.user.id), (before ?? 0) + 1, 'recorded')
  t.match(await row(who.user.id), { revoked_at: null }, 'the session goes on')
}

t.test('a copy of the cookies is refused (401) and recorded, and the owner goes on', async t => {
  const who = await signedIn()
  const { user, browser, device } = who
  const beforeRotation = copyOf(browser)
  await isRefused(t, who, beforeRotation, 'before a rotation')

  await device.prove(browser)
  t.equal((await browser.refresh()).statusCode, 200)
  await isRefused(t, who, beforeRotation, 'during the grace period')
  await isRefused(t, who, copyOf(browser), 'after a rotation')
  await owner.query("UPDATE refresh_tokens SET rotated_at = now() - interval '1 hour' WHERE user_id = $1", [user.id])
  await isRefused(t, who, beforeRotation, 'after the grace period: the session does not end')

  await device.prove(browser)
  const proof = browser.cookies.get('device_proof') ?? ''
  t.equal((await browser.refresh()).statusCode, 200)
  const withProof = copyOf(browser)
  withProof.cookies.set('device_proof', proof)
  await isRefused(t, who, withProof, 'with the proof of another generation')
  withProof.cookies.set('device_proof', proof.replace(/.$/, end => end === 'A' ? 'B' : 'A'))
  await isRefused(t, who, withProof, 'with a forged proof')
  withProof.cookies.set('device_proof', browser.cookies.get('device_key') ?? '')
  await isRefused(t, who, withProof, 'with another signed value of the service')

  const thief = await signedIn()
  thief.browser.cookies.set('refresh_token', browser.cookies.get('refresh_token') ?? '')
  t.equal((await thief.device.prove(thief.browser)).statusCode, 200)
  await isRefused(t, who, thief.browser, 'with a key of the thief')

  const skipped = await copyOf(browser).send('POST', REFRESH, undefined, { 'secure-session-skipped': 'unreachable' })
  t.equal(skipped.statusCode, 503, 'as a browser that could not prove its key')
  t.ok(skipped.headers['retry-after'])
  t.strictSame(skipped.cookies, [])

  await device.prove(browser)
  t.equal((await browser.refresh()).statusCode, 200, 'the owner')
})

t.test('the owner is told by mail, a few times an hour', async t => {
  const { user, browser } = await signedIn()
  const thief = copyOf(browser)
  await thief.refresh()
  const { rows: [job] } = await owner.query(
    "SELECT data FROM pgboss.job WHERE data->>'email' = $1 AND data->>'kind' = 'session-theft'", [user.email])
  t.match(job.data, { ip: thief.address, device: 'Unknown device' })
})

t.test('a proof that a thief caught is good for one refresh: the owner goes on, the thief does not', async t => {
  const { user, browser, device } = await signedIn()
  await device.prove(browser)
  const thief = copyOf(browser)
  t.equal((await thief.refresh()).statusCode, 200)
  t.equal((await thief.refresh()).statusCode, 401)
  t.equal(await alarms(user.id), 1)
  await owner.query("UPDATE refresh_tokens SET rotated_at = now() - interval '1 hour' WHERE user_id = $1", [user.id])
  t.equal((await browser.refresh()).statusCode, 503, 'another proof is needed')
  await device.prove(browser)
  t.equal((await browser.refresh()).statusCode, 200)
  await device.prove(browser)
  t.equal((await browser.refresh()).statusCode, 200)
})

t.test('a proof of identity: the new session is bound to the same key', async t => {
  const { user, browser, device } = await signedIn()
  const stolen = copyOf(browser)
  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  t.match(await row(user.id), { device_key: /./, generation: 0 })
  t.equal((await copyOf(browser).refresh()).statusCode, 401)
  t.equal((await stolen.refresh()).statusCode, 401)
  t.equal((await device.prove(browser)).statusCode, 200)
  t.equal((await browser.refresh()).statusCode, 200)
})

t.test('a lost response to a proof of identity: the new session needs the key, too', async t => {
  const { browser, device } = await signedIn()
  const key = 'c'.repeat(64)
  browser.cookies.set('proof_key', key)
  const old = new Map(browser.cookies)
  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  const again = copyOf({ cookies: old })
  t.equal((await again.refresh()).statusCode, 401)
  t.equal((await device.prove(again)).statusCode, 200)
  t.equal((await again.refresh()).statusCode, 200)
})

t.test('a key of an earlier session of this browser: the browser is told to drop it', async t => {
  const { user, browser, device: former } = await signedIn()
  const device = await createDevice()
  await device.register(browser, (await browser.signIn(user.username)).headers[OFFER])
  t.strictSame((await former.prove(browser)).json(), { continue: false })
  t.equal((await device.prove(browser)).body, '')
  t.equal((await browser.refresh()).statusCode, 200)
})

t.test('the setting is turned off: bound sessions go on without a proof, and proofs are still served', async t => {
  const { browser, device } = await signedIn()
  const { app: off } = await build(t, { settings: { ...on, DEVICE_BOUND_SESSIONS: 'off' } })
  const later = copyOf(browser, off)
  t.equal((await later.refresh()).statusCode, 200)
  t.equal((await later.refresh()).statusCode, 200)
  t.equal((await device.prove(later)).statusCode, 200)
  const again = copyOf(later)
  t.equal((await again.refresh()).statusCode, 200, 'turned on again, with the proof')
  t.equal((await again.refresh()).statusCode, 401, 'without')
})

t.test('the secret is changed, twice: the key goes on', async t => {
  const { user, browser, device } = await signedIn()
  const SECRETS = ['first', 'second'].map(name => `${name} 0123456789abcdefghijklmnopqrstuvwxyz`.repeat(3))
  const { app: changed } = await build(t, {
    settings: { ...on, JWT_SECRET: SECRETS[0] as string, JWT_SECRET_PREVIOUS: app.config.JWT_SECRET },
  })
  const later = copyOf(browser, changed)
  t.equal((await device.prove(later)).statusCode, 200)
  t.equal((await later.refresh()).statusCode, 200)
  const { app: changedAgain } = await build(t, {
    settings: { ...on, JWT_SECRET: SECRETS[1] as string, JWT_SECRET_PREVIOUS: SECRETS[0] as string },
  })
  const muchLater = copyOf(later, changedAgain)
  t.equal((await device.prove(muchLater)).statusCode, 200, 'what the browser calls its session cannot be read any more')
  t.equal((await muchLater.refresh()).statusCode, 200)
  t.equal(await alarms(user.id), 0)
})

t.test('a thief who is refused a hundred times: the owner still refreshes', async t => {
  const { app: limited } = await build(t, { settings: { ...on, LIMIT_GENERAL_MAX: '5' } })
  const { browser, device } = await signedIn(limited)
  const thief = copyOf(browser, limited)
  const statuses = []
  for (let turn = 0; turn < 10; turn++) statuses.push((await thief.refresh()).statusCode)
  t.strictSame(new Set(statuses), new Set([401, 429]))
  await device.prove(browser)
  t.equal((await browser.refresh()).statusCode, 200)
})

t.test('each way to sign in offers to bind the session: second factor, passkey', async t => {
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const { authenticator } = await enrolled(browser)
  const { headers } = await signInWithPasskey(createBrowser(app), authenticator)
  t.ok(headers[OFFER], 'a passkey')

  const { secret } = await addTotp(owner, user.id)
  const other = createBrowser(app)
  const first = await other.signIn(user.username)
  t.equal(first.statusCode, 202)
  t.notOk(first.headers[OFFER], 'there is no session yet')
  const second = await other.post('/login/second-factor', { code: codeOf(secret) })
  t.equal(second.statusCode, 200)
  t.equal((await (await createDevice()).register(other, second.headers[OFFER])).statusCode, 200)
})
