import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { createBrowser, NO_LIMITS, PASSWORD, type Browser } from '../support/browser.ts'
import { build, buildShared, JWT_SECRET } from '../support/build.ts'
import { shareSmtp, startSmtp } from '../support/smtp.ts'

// The browser that registered is signed in by the link in the mail. No other browser is.

let people = 0

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url, ...settings } })

  /** Returns the browser that registered, and the mail with the link. */
  async function register (next = '', browser = createBrowser(app)) {
    const username = `person${++people}`
    const email = `${username}@example.com`
    await browser.post(`/register${next}`, { username, email, password: PASSWORD })
    return { browser, username, email, mail: await smtp.next() }
  }
  const sessions = async () => (await owner.query('SELECT FROM refresh_tokens WHERE revoked_at IS NULL')).rowCount
  return { app, owner, smtp, register, sessions }
}

const userOf = async (browser: Browser) => (await browser.get('/api/auth/session')).json().user?.username

t.test('POST /verify-email: signed in, in the browser that registered (204)', async t => {
  const { owner, register } = await setUp(t)
  const { browser, username, mail: { token } } = await register()
  t.equal((await browser.post('/verify-email', { token })).statusCode, 204)
  t.equal(await userOf(browser), username)
  t.strictSame((await owner.query('SELECT amr FROM refresh_tokens')).rows, [{ amr: ['pwd'] }])
  t.notOk(browser.cookies.has('registration'), 'the cookie is used up')
})

t.test('POST /verify-email: in another browser, confirmed and not signed in (204)', async t => {
  const { app, register, sessions } = await setUp(t)
  const { username, mail: { token } } = await register()
  const other = createBrowser(app)
  t.equal((await other.post('/verify-email', { token })).statusCode, 204)
  t.notOk(other.cookies.has('access_token'))
  t.equal(await sessions(), 0)
  t.equal((await other.signIn(username)).statusCode, 200)
})

t.test('POST /verify-email: the cookie of another registration opens nothing, with either link', async t => {
  const { register, sessions } = await setUp(t)
  const [ada, eve] = [await register(), await register()]
  const swapped = eve.browser.cookies.get('registration') as string
  eve.browser.cookies.set('registration', ada.browser.cookies.get('registration') as string)
  ada.browser.cookies.set('registration', swapped)
  for (const { browser, mail: { token } } of [ada, eve]) {
    t.equal((await browser.post('/verify-email', { token })).statusCode, 204)
    t.equal(await userOf(browser), undefined)
  }
  t.equal(await sessions(), 0)
})

t.test('POST /verify-email: a link and its cookie are used once (400)', async t => {
  const { app, register, sessions } = await setUp(t)
  const { browser, mail: { token } } = await register()
  const copy = createBrowser(app)
  copy.cookies.set('registration', browser.cookies.get('registration') as string)
  const answers = await Promise.all([browser, copy].map(each => each.post('/verify-email', { token })))
  t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [204, 400])
  t.equal(await sessions(), 1)
})

t.test('POST /verify-email: a password that was changed, a factor, or a disabled account opens nothing', async t => {
  const { app, owner, register, sessions } = await setUp(t)
  const CHANGES: Record<string, (id: string) => Promise<unknown>> = {
    'a new password': async id => {
      const user = await app.users.findById(id)
      if (user) await app.administration.setPassword(user, await app.passwords.hash(`${PASSWORD}?`))
    },
    'a factor': id => owner.query('UPDATE users SET factors_version = 1 WHERE id = $1', [id]),
    'a disabled account': id => owner.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id]),
  }
  for (const [what, change] of Object.entries(CHANGES)) {
    const { browser, username } = await register()
    const { rows: [{ id }] } = await owner.query('SELECT id FROM users WHERE username = $1', [username])
    await change(id)
    const token = await app.oneTimeTokens.issue(id, 'verify')
    t.equal((await browser.post('/verify-email', { token })).statusCode, 204, what)
    t.equal(await userOf(browser), undefined, what)
  }
  t.equal(await sessions(), 0)
})

t.test('POST /verify-email: an expired cookie opens nothing', async t => {
  const { app, owner, register } = await setUp(t)
  const [key = ''] = keysFor('registering-browsers', { JWT_SECRET })
  for (const [seconds, isSignedIn] of [[-1, false], [60, true]] as const) {
    const { browser, username, mail: { token } } = await register()
    const { rows: [{ id, hash }] } = await owner.query(
      'SELECT id, password_hash AS hash FROM users WHERE username = $1', [username])
    const expiry = Math.floor(Date.now() / 1_000) + seconds
    const mark = createHmac('sha256', key).update(`${expiry} ${id} 0 ${hash}`).digest('base64url')
    browser.cookies.set('registration', app.signCookie(`${expiry}.${mark}.~registration`))
    t.equal((await browser.post('/verify-email', { token })).statusCode, 204)
    t.equal(await userOf(browser), isSignedIn ? username : undefined)
  }
})

t.test('POST /verify-email: replaces the session of another user in this browser', async t => {
  const { register, sessions } = await setUp(t)
  const ada = await register()
  await ada.browser.post('/verify-email', { token: ada.mail.token })
  const grace = await register('', ada.browser)
  await grace.browser.post('/verify-email', { token: grace.mail.token })
  t.equal(await userOf(grace.browser), grace.username)
  t.equal(await sessions(), 1)
})

t.test('POST /verify-email: with SECOND_FACTOR=required, a session that must add a factor', async t => {
  const { register } = await setUp(t, { SECOND_FACTOR: 'required' })
  const { browser, mail: { token } } = await register()
  t.equal((await browser.post('/verify-email', { token })).statusCode, 204)
  t.match((await browser.get('/api/auth/session')).json(), { user: null, mustEnrol: true })
})

t.test('POST /verify-email: a cookie that a sibling host planted is not read, in production', async t => {
  const smtp = await startSmtp(t)
  const { app } = await build(t, {
    settings: {
      ...NO_LIMITS,
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      REDIS_URL: 'redis://127.0.0.1:1',
      SMTP_URL: smtp.url,
    },
  })
  const attacker = createBrowser(app)
  const person = { username: 'eve', email: 'eve@example.com', password: PASSWORD }
  const [cookie = ''] = [(await attacker.post('/register', person)).headers['set-cookie']].flat()
  t.match(cookie, /^__Host-registration=[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Strict$/)

  // A sibling host can set every name except those with the prefix.
  const victim = createBrowser(app)
  victim.cookies.set('registration', attacker.cookies.get('__Host-registration') as string)
  const { token } = await smtp.next()
  t.equal((await victim.post('/verify-email', { token })).statusCode, 204)
  t.notOk(victim.cookies.has('access_token'))
})

t.test('POST /register, /verify-email/resend and /reset-password: the link in the mail carries `next`', async t => {
  const { app, owner, register, smtp } = await setUp(t)
  const NEXT = `?${new URLSearchParams({ next: '/orders?open=1&x=2#last' })}`
  const carried = (text = '') =>
    new URLSearchParams(/\/(?:verify-email|reset-password)#(\S+)/.exec(text)?.[1]).get('next')
  const { browser, email, mail } = await register(NEXT)
  t.equal(carried(mail.text), '/orders?open=1&x=2#last')
  await browser.post(`/verify-email/resend${NEXT}`, { email })
  t.equal(carried((await smtp.next()).text), '/orders?open=1&x=2#last')
  await browser.post(`/reset-password${NEXT}`, { email })
  t.equal(carried((await smtp.next()).text), '/orders?open=1&x=2#last')

  await owner.query('UPDATE users SET email_verified_at = now()')
  await createBrowser(app).post(`/register${NEXT}`, { username: 'ann', email, password: PASSWORD })
  const known = await smtp.next()
  t.match(known.text, '/login?next=%2Forders%3Fopen%3D1%26x%3D2%23last', 'of a known address')

  for (const unsafe of ['//evil.example', 'https://evil.example', '/\\evil.example', `/${'x'.repeat(512)}`]) {
    await browser.post(`/reset-password?${new URLSearchParams({ next: unsafe })}`, { email })
    t.equal(carried((await smtp.next()).text), null, unsafe.slice(0, 30))
  }
})
