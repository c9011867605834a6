// A thief has a copy of the cookies from before the owner proved once more who they are.
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../support/browser.ts'
import { build, createDatabase } from '../support/build.ts'
import { eventually } from '../support/patience.ts'
import { addTotp, codeOf } from '../support/second-factor.ts'

const NEW_PASSWORD = 'an0ther-Harbour-lamp!'
const LIVE = 'SELECT * FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL'

const { owner, settings } = await createDatabase(t)
const instances = [
  (await build(t, { settings: { ...NO_LIMITS, ...settings } })).app,
  (await build(t, { settings: { ...NO_LIMITS, ...settings } })).app,
] as const

function copyOf (browser: Browser, app = instances[0]) {
  const copy = createBrowser(app)
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
  return copy
}

/** A browser that signed in an hour ago, from its own address. */
async function signInEarlier (user: { id: string, username: string }) {
  const browser = createBrowser(instances[0])
  t.equal((await browser.signIn(user.username)).statusCode, 200)
  await owner.query(`UPDATE refresh_tokens SET signed_in_at = date_trunc('second', now() - interval '1 hour')
    WHERE user_id = $1`, [user.id])
  return browser
}

/** Everything that a session is good for, on both instances. No response changes the cookies of a browser. */
async function nothingWorks (t: Test, stolen: Browser, csrfToken: string) {
  for (const app of instances) {
    const thief = copyOf(stolen, app)
    await eventually(async () => (await thief.get('/api/auth/verify')).statusCode, status => status === 401)
    for (const [method, path, body] of [
      ['GET', '/api/auth/me'],
      ['GET', '/api/auth/account'],
      ['GET', '/api/content'],
      ['GET', '/api/csrf-token'],
      ['POST', '/api/auth/factors/totp'],
      ['POST', '/api/auth/factors/passkeys/options'],
      ['POST', '/api/auth/email', { email: 'thief@example.com' }],
      ['POST', '/api/auth/reauthenticate', { password: PASSWORD }],
      ['DELETE', '/api/auth/sessions'],
      ['POST', '/api/auth/refresh'],
    ] as const) {
      const answer = await thief.send(method, path, body, { 'x-csrf-token': csrfToken })
      t.equal(answer.statusCode, 401, `${method} ${path}`)
      t.strictSame(answer.cookies, [], `${method} ${path}: no cookie is set or cleared`)
    }
  }
}

const PROOFS: Record<string, (browser: Browser, userId: string) => Promise<number>> = {
  'the password': async browser =>
    (await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode,
  'a code': async (browser, userId) => {
    const { secret } = await addTotp(owner, userId)
    return (await browser.guarded('POST', '/api/auth/reauthenticate', { code: codeOf(secret) })).statusCode
  },
  'a recovery code': async (browser, userId) => {
    const { recoveryCodes } = await addTotp(owner, userId)
    return (await browser.guarded('POST', '/api/auth/reauthenticate', { code: recoveryCodes[0] })).statusCode
  },
  'a change of the password': async browser => (await browser.guarded('POST', '/api/auth/password', {
    current: PASSWORD, password: NEW_PASSWORD,
  })).statusCode,
}

for (const [name, prove] of Object.entries(PROOFS)) {
  t.test(`a copy of the cookies from before a proof of identity gets nothing (401): ${name}`, async t => {
    const user = await createUser(owner)
    const browser = await signInEarlier(user)
    const { csrfToken } = (await browser.get('/api/csrf-token')).json()
    const { rows: [before] } = await owner.query(LIVE, [user.id])
    const stolen = copyOf(browser)

    t.equal(await prove(browser, user.id), 204)
    await nothingWorks(t, stolen, csrfToken)

    t.equal((await browser.get('/api/auth/me')).statusCode, 200, 'the owner goes on')
    t.equal((await browser.refresh()).statusCode, 200)
    const { sessions } = (await browser.get('/api/auth/sessions')).json()
    t.match(sessions, [{ current: true, firstUsedAt: before.signed_in_at.toISOString() }], 'one device, as before')
    t.equal(sessions.length, 1)
    t.not(sessions[0].id, before.id)
    const { rows: events } = await owner.query('SELECT what FROM auth_events WHERE user_id = $1', [user.id])
    for (const alarm of ['refresh_reuse', 'session_ended']) t.notOk(events.some(({ what }) => what === alarm), alarm)
  })
}

t.test('the device, the address and the greatest age stay those of the sign-in', async t => {
  const user = await createUser(owner)
  const browser = await signInEarlier(user)
  await owner.query(`UPDATE refresh_tokens SET signed_in_at = date_trunc('second', now() - interval '89 days 23 hours')
    WHERE user_id = $1`, [user.id])
  const { rows: [before] } = await owner.query(LIVE, [user.id])
  const elsewhere = createBrowser(instances[0], { userAgent: 'curl/8', address: '10.9.9.9' })
  for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
  t.equal((await elsewhere.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  const { rows: [after] } = await owner.query(LIVE, [user.id])
  const kept = ['user_id', 'signed_in_at', 'ip', 'user_agent']
  for (const column of kept) t.strictSame(after[column], before[column], column)
  t.equal(after.expires_at.getTime(), before.signed_in_at.getTime() + 90 * 24 * 3_600_000)
  t.equal((await elsewhere.refresh()).statusCode, 200)
  const { rows: [refreshed] } = await owner.query(LIVE, [user.id])
  t.strictSame(refreshed.expires_at, after.expires_at, 'also after a refresh')
})

t.test('a copy that refreshed last does not get in again by the key of another proof', async t => {
  const user = await createUser(owner)
  const browser = await signInEarlier(user)
  const stolen = copyOf(browser)
  stolen.cookies.set('proof_key', 'a'.repeat(64))
  browser.cookies.set('proof_key', 'b'.repeat(64))
  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  t.notOk(browser.cookies.has('proof_key'), 'it has served its purpose')
  t.equal((await stolen.refresh()).statusCode, 401)
  stolen.cookies.delete('proof_key')
  t.equal((await stolen.refresh()).statusCode, 401)
})
