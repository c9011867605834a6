// Codes in the mails that confirm an address, and the proof of identity by mail.
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { buildShared } from '../../support/build.ts'
import { askForMail, codeIn, confirm, WITH_MAIL, wrongCode } from '../../support/mail-sign-in.ts'
import { addTotp } from '../../support/second-factor.ts'
import { shareSmtp } from '../../support/smtp.ts'

let people = 0

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const shared = await buildShared(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url } })
  const username = `person${++people}`
  return { ...shared, smtp, username, email: `${username}@example.com`, browser: createBrowser(shared.app) }
}

/** An account that its mailbox alone can sign in to. */
async function registerByMail (t: Test) {
  const parts = await setUp(t)
  const { browser, smtp, email, username } = parts
  const { code } = await askForMail(browser, smtp, email)
  await confirm(browser, { code })
  t.equal((await browser.post('/register/mail', { name: username, username })).statusCode, 201)
  return parts
}

t.test('POST /verify-email: the code of the mail, in the browser that registered (204)', async t => {
  const { app, smtp, username, email, browser } = await setUp(t)
  t.equal((await browser.post('/register', { username, email, password: PASSWORD })).statusCode, 202)
  const code = codeIn(await smtp.next())
  t.match(code, /^\d{6}$/)
  const stranger = createBrowser(app)
  t.equal((await stranger.post('/verify-email', { code })).statusCode, 401, 'in another browser')
  t.equal((await browser.post('/verify-email', { code: wrongCode(code) })).statusCode, 401)
  t.equal((await browser.post('/verify-email', { code })).statusCode, 204)
  t.equal((await browser.get('/api/auth/me')).statusCode, 200, 'signed in')
  t.equal((await createBrowser(app).signIn(username)).statusCode, 200)
})

t.test('POST /verify-email/resend: a new code, in the same browser', async t => {
  const { smtp, username, email, browser } = await setUp(t)
  await browser.post('/register', { username, email, password: PASSWORD })
  const first = codeIn(await smtp.next())
  await browser.post('/verify-email/resend', { email })
  const second = codeIn(await smtp.next())
  if (first !== second) t.equal((await browser.post('/verify-email', { code: first })).statusCode, 401)
  t.equal((await browser.post('/verify-email', { code: second })).statusCode, 204)
})

t.test('POST /verify-email: five tries, and the link goes on working', async t => {
  const { smtp, username, email, browser } = await setUp(t)
  await browser.post('/register', { username, email, password: PASSWORD })
  const mail = await smtp.next()
  const code = codeIn(mail)
  for (let each = 1; each <= 5; each++) {
    t.equal((await browser.post('/verify-email', { code: wrongCode(code, each) })).statusCode, 401)
  }
  t.equal((await browser.post('/verify-email', { code })).statusCode, 401, 'the right one, too late')
  t.equal((await browser.post('/verify-email', { token: mail.token })).statusCode, 204)
})

t.test('POST /register: somebody else with the same address does not end the code', async t => {
  const { app, smtp, username, email, browser } = await setUp(t)
  await browser.post('/register', { username, email, password: PASSWORD })
  const code = codeIn(await smtp.next())
  const stranger = createBrowser(app)
  await stranger.post('/register', { username: `${username}-2`, email, password: PASSWORD })
  t.equal(codeIn(await smtp.next()), '', 'a mail without a code')
  t.equal((await stranger.post('/verify-email', { code })).statusCode, 401)
  t.equal((await browser.post('/verify-email', { code })).statusCode, 204)
})

t.test('POST /api/auth/email/confirm: the code, in the session that asked (204)', async t => {
  const { app, owner, smtp, browser } = await setUp(t)
  const user = await createUser(owner)
  await browser.signIn(user.username)
  const other = createBrowser(app)
  await other.signIn(user.username)
  smtp.forget()
  const email = `new-${user.email}`
  t.equal((await browser.guarded('POST', '/api/auth/email', { email })).statusCode, 202)
  let mail = await smtp.next()
  if (mail.reader !== email) mail = await smtp.next()
  const code = codeIn(mail)
  t.match(code, /^\d{6}$/)
  const change = (at: typeof browser, code: string) => at.guarded('POST', '/api/auth/email/confirm', { code })
  t.equal((await change(other, code)).statusCode, 403, 'in another session')
  t.match((await change(browser, wrongCode(code))).json(), { error: 'Invalid code' })
  t.equal((await change(browser, code)).statusCode, 204)
  t.equal((await browser.get('/api/auth/account')).json().user.email, email)
  t.equal((await change(browser, code)).statusCode, 403, 'once')
  t.equal((await browser.post('/verify-email/change', { token: mail.token })).statusCode, 400, 'nor the link')
})

t.test('POST /api/auth/reauthenticate {code}: by mail, if the account has nothing stronger (204)', async t => {
  const { owner, app, smtp, browser, email } = await registerByMail(t)
  await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 hour', auth_time = NULL")
  const ask = () => browser.guarded('POST', '/api/auth/email', { email: `new-${email}` })
  t.match((await ask()).json(), { error: 'Confirm it is you', methods: ['mail'] })
  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate/mail')).statusCode, 202)
  const code = codeIn(await smtp.next())
  const prove = (code: string) => browser.guarded('POST', '/api/auth/reauthenticate', { code })
  t.equal((await prove(wrongCode(code))).statusCode, 403)
  const stranger = createBrowser(app)
  t.equal((await confirm(stranger, { code })).statusCode, 401, 'not a code to sign in')
  t.equal((await prove(code)).statusCode, 204)
  t.equal((await ask()).statusCode, 202)
})

t.test('POST /api/auth/reauthenticate/mail: not for an account with a password or a second factor (403)', async t => {
  const { app, owner, smtp } = await setUp(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  const { code } = await askForMail(browser, smtp, user.email)
  await confirm(browser, { code })
  const refused = await browser.guarded('POST', '/api/auth/reauthenticate/mail')
  t.match(refused.json(), { error: 'Confirm it is you', methods: ['password'] })
  t.match((await browser.guarded('POST', '/api/auth/factors/totp')).json(), { methods: ['password'] },
    'the sign-in by mail of a moment ago is not enough')

  const mailOnly = await registerByMail(t)
  const { rows: [{ id }] } = await owner.query('SELECT id FROM users WHERE username = $1', [mailOnly.username])
  t.equal((await mailOnly.browser.guarded('POST', '/api/auth/factors/totp')).statusCode, 200, 'here it is')
  await owner.query('DELETE FROM totp')
  await addTotp(owner, id)
  t.match((await mailOnly.browser.guarded('POST', '/api/auth/reauthenticate/mail')).json().methods, ['totp'])
})
