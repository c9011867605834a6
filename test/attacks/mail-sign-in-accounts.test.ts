// What strangers can try with the accounts that sign-in by mail creates or proves.
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build, buildShared } from '../support/build.ts'
import { allSent } from '../support/held-mails.ts'
import { askForMail, confirm, WITH_MAIL } from '../support/mail-sign-in.ts'
import { shareSmtp, startSmtp } from '../support/smtp.ts'

type App = Parameters<typeof createBrowser>[0]
type Smtp = Awaited<ReturnType<typeof startSmtp>>

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const shared = await buildShared(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url } })
  return { ...shared, smtp }
}

/** A browser with the proof of the address, before it has given a name. */
async function prove (app: App, smtp: Smtp, email: string) {
  const browser = createBrowser(app)
  const { code } = await askForMail(browser, smtp, email)
  const answer = await confirm(browser, { code })
  if (answer.statusCode !== 202) throw new Error(answer.body)
  return browser
}

t.test('a session that another host planted does not keep the password of a stranger', async t => {
  const smtp = await startSmtp(t)
  const { app, owner } = await build(t, {
    settings: {
      ...NO_LIMITS,
      ...WITH_MAIL,
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      REDIS_URL: 'redis://127.0.0.1:1',
      SMTP_URL: smtp.url,
      EMAIL_VERIFICATION: 'off',
    },
  })
  const email = 'planted@example.org'
  const attacker = createBrowser(app)
  t.equal((await attacker.post('/register', { username: 'mallory', email, password: PASSWORD })).statusCode, 201)
  t.equal((await attacker.signIn('mallory')).statusCode, 200)
  const victim = createBrowser(app)
  const { code } = await askForMail(victim, smtp, email)
  for (const name of ['access_token', 'refresh_token']) {
    t.ok(attacker.cookies.has(name))
    victim.cookies.set(name, attacker.cookies.get(name) as string)
  }
  t.equal((await confirm(victim, { code })).statusCode, 200)
  t.equal((await createBrowser(app).signIn('mallory')).statusCode, 401)
  t.equal((await attacker.refresh()).statusCode, 401)
  const { rows } = await owner.query('SELECT email_verified_at FROM users WHERE email = $1', [email])
  t.ok(rows[0].email_verified_at)
})

t.test('the proof of an address creates one account, also if the address becomes free again', async t => {
  const { app, owner, smtp } = await setUp(t)
  const browser = await prove(app, smtp, 'replay@example.org')
  const thief = createBrowser(app)
  thief.cookies.set('mail_registration', browser.cookies.get('mail_registration') as string)
  const taken = await createUser(owner)
  t.equal((await browser.post('/register/mail', { name: 'One', username: taken.username })).statusCode, 409)
  t.equal((await browser.post('/register/mail', { name: 'One', username: 'replay1' })).statusCode, 201, 'a second try')
  await owner.query("UPDATE users SET email = 'moved@example.org' WHERE username = 'replay1'")
  t.equal((await thief.post('/register/mail', { name: 'Two', username: 'replay2' })).statusCode, 401)
})

t.test('names that look like those of the service get a number; those that reverse text are refused', async t => {
  const { app, smtp } = await setUp(t)
  for (const name of ['admin', 'Gatehouse', 'Root', 'operator']) {
    const browser = await prove(app, smtp, `${name.toLowerCase()}@example.org`)
    const made = await browser.post('/register/mail', { name })
    t.match(made.json().user?.username, new RegExp(`^${name.toLowerCase()}\\d+$`))
  }
  const browser = await prove(app, smtp, 'reversed@example.org')
  for (const name of ['Eve\u202egnp.exe', 'Eve\u2066x', 'a\r\nBcc: x', 'a\u2028b', 'a\u0085b']) {
    t.equal((await browser.post('/register/mail', { name })).statusCode, 400, encodeURIComponent(name))
  }
  const persian = '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627'
  t.equal((await browser.post('/register/mail', { name: persian })).statusCode, 201)
})

t.test('an account with a provider confirms its identity there, and not by mail', async t => {
  const smtp = await shareSmtp(t)
  const withProvider = { PROVIDER_A_CLIENT_ID: 'x', PROVIDER_A_CLIENT_SECRET: 'y' }
  for (const [settings, methods, status] of [[withProvider, ['provider_a'], 403], [{}, ['mail'], 202]] as const) {
    const all = { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url, ...settings }
    const { app, owner } = await buildShared(t, { settings: all })
    const { email } = await createUser(owner, { password_hash: null, provider: 'provider_a', provider_a_id: 'a' })
    const browser = createBrowser(app)
    const { code } = await askForMail(browser, smtp, email)
    t.equal((await confirm(browser, { code })).statusCode, 200)
    const changed = await browser.guarded('POST', '/api/auth/factors/totp')
    t.equal(changed.statusCode, status === 403 ? 403 : 200, `the sign-in by mail of a moment ago, with ${methods}`)
    await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 hour', auth_time = NULL")
    await owner.query('DELETE FROM totp')
    t.match((await browser.guarded('POST', '/api/auth/factors/totp')).json(), { methods })
    t.equal((await browser.guarded('POST', '/api/auth/reauthenticate/mail')).statusCode, status)
    await allSent(owner)
    smtp.forget()
  }
})
