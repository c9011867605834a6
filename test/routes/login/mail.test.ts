import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { buildShared } from '../../support/build.ts'
import { allSent } from '../../support/held-mails.ts'
import { askForMail, codeIn, confirm, WITH_MAIL, wrongCode } from '../../support/mail-sign-in.ts'
import { addTotp, codeOf } from '../../support/second-factor.ts'
import { shareSmtp } from '../../support/smtp.ts'

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const smtp = await shareSmtp(t)
  const shared = await buildShared(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url, ...settings } })
  const user = await createUser(shared.owner)
  return { ...shared, smtp, user, browser: createBrowser(shared.app) }
}

/** What the session of a browser has proved. */
function claimsOf (browser: ReturnType<typeof createBrowser>) {
  const [, payload = ''] = browser.cookies.get('access_token')?.split('.') ?? []
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

t.test('POST /login/mail → mail → POST /login/mail/confirm: the code signs in (200)', async t => {
  const { smtp, user, browser } = await setUp(t)
  const { answer, mail, code } = await askForMail(browser, smtp, user.email.toUpperCase())
  t.equal(answer.statusCode, 202)
  t.match(answer.headers['set-cookie'], /^mail_sign_in=.+; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/)
  t.equal(mail.reader, user.email)
  t.match(mail.html, code)
  t.match(mail.text, '/login/mail#token=')

  const confirmed = await confirm(browser, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
  t.equal(confirmed.statusCode, 200)
  t.equal(confirmed.json().user.username, user.username)
  t.strictSame(claimsOf(browser).amr, ['mail'])
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
  t.equal((await confirm(browser, { code })).statusCode, 401, 'once')
})

t.test('POST /login/mail/confirm: the link signs in on another device, once (200, 400)', async t => {
  const { app, smtp, user, browser } = await setUp(t)
  const { code, token } = await askForMail(browser, smtp, user.email)
  const phone = createBrowser(app)
  const named = await phone.post('/login/mail/link', { token })
  t.strictSame(named.json(), { email: user.email, username: user.username, askedHere: false })
  t.notOk(phone.cookies.has('access_token'), 'looking at it signs nobody in')
  t.equal((await browser.post('/login/mail/link', { token })).json().askedHere, true)

  t.equal((await confirm(phone, { token })).statusCode, 200)
  t.match((await confirm(createBrowser(app), { token })).json(), { error: 'Invalid link' })
  t.equal((await phone.post('/login/mail/link', { token })).statusCode, 400)
  t.equal((await confirm(browser, { code })).statusCode, 401, 'the code ends with its link')
})

t.test('POST /login/mail: one response for every address (202)', async t => {
  const { owner, smtp, user, browser } = await setUp(t, { REGISTRATION: 'closed' })
  const disabled = await createUser(owner, { disabled_at: new Date() })
  const unverified = await createUser(owner, { email_verified_at: null })
  const social = await createUser(owner, { password_hash: null, provider: 'provider_a', provider_a_id: '1' })
  const addresses = ['nobody@example.com', disabled.email, unverified.email, social.email, user.email]
  const seen = new Set<string>()
  const confirmations = new Set<string>()
  for (const email of addresses) {
    const answer = await browser.post('/login/mail', { email })
    const headers = Object.keys(answer.headers).filter(name => !name.startsWith('ratelimit'))
    seen.add(`${answer.statusCode} ${answer.body} ${headers} ${String(answer.headers['set-cookie']).length}`)
    await allSent(owner)
    const wrong = smtp.mails.length > 0 ? wrongCode(codeIn(smtp.mails.at(-1) as { text: string })) : '000000'
    const refused = await confirm(browser, { code: wrong })
    confirmations.add(`${refused.statusCode} ${refused.body}`)
  }
  t.equal(seen.size, 1, [...seen].join('\n'))
  t.equal(confirmations.size, 1, [...confirmations].join('\n'))
  t.strictSame(smtp.mails.map(({ reader }) => reader), [unverified.email, social.email, user.email])
})

t.test('POST /login/mail/confirm: a second factor is asked for (202), and counts with the mail', async t => {
  const { owner, smtp, user, browser } = await setUp(t)
  const { secret } = await addTotp(owner, user.id)
  const { code } = await askForMail(browser, smtp, user.email)
  const asked = await confirm(browser, { code })
  t.equal(asked.statusCode, 202)
  t.ok(asked.json().secondFactor.includes('totp'))
  t.notOk(browser.cookies.has('access_token'))
  t.equal((await browser.post('/login/second-factor', { code: codeOf(secret) })).statusCode, 200)
  t.strictSame(claimsOf(browser).amr, ['mail', 'otp', 'mfa'])
})

t.test('POST /login/mail/confirm: proves an unproven address, whose password and factors end (200)', async t => {
  const { app, owner, smtp, browser } = await setUp(t)
  const { id, username, email } = await createUser(owner, { email_verified_at: null })
  await addTotp(owner, id)
  const { code } = await askForMail(browser, smtp, email)
  t.equal((await confirm(browser, { code })).statusCode, 200, 'no second factor of a stranger')
  t.equal((await createBrowser(app).signIn(username)).statusCode, 401, 'nor the password')
  const { rows } = await owner.query('SELECT email_verified_at IS NOT NULL AS proven FROM users WHERE id = $1', [id])
  t.ok(rows[0].proven)
})

t.test('POST /login/mail/confirm: the browser that registered keeps its password (200)', async t => {
  const { app, smtp, browser } = await setUp(t)
  const account = { username: 'newcomer', email: 'newcomer@example.com', password: PASSWORD }
  t.equal((await browser.post('/register', account)).statusCode, 202)
  await smtp.next()
  const { code } = await askForMail(browser, smtp, account.email)
  t.equal((await confirm(browser, { code })).statusCode, 200)
  t.equal((await createBrowser(app).signIn(account.username)).statusCode, 200)
})

t.test('POST /register/mail: an account without a password (201)', async t => {
  const { app, owner, smtp, browser } = await setUp(t)
  const email = 'Ada.L@example.com'
  const { mail, code } = await askForMail(browser, smtp, email)
  t.match(mail.subject, /create/i)
  const proven = await confirm(browser, { code })
  t.equal(proven.statusCode, 202)
  t.strictSame(proven.json(), { register: true, email: email.toLowerCase() })
  t.notOk(browser.cookies.has('access_token'))
  t.equal((await createBrowser(app).post('/register/mail', { name: 'Eve' })).statusCode, 401, 'in another browser')

  await createUser(owner, { username: 'taken' })
  t.equal((await browser.post('/register/mail', { name: 'Ada', username: 'Taken' })).statusCode, 409)
  const created = await browser.post('/register/mail', { name: 'Ada Lovelace' })
  t.equal(created.statusCode, 201)
  t.match(created.json().user, { username: 'ada.lovelace', name: 'Ada Lovelace', email: email.toLowerCase() })
  t.strictSame(claimsOf(browser).amr, ['mail'])
  t.equal((await browser.get('/api/auth/account')).json().hasPassword, false)
  t.equal((await browser.post('/register/mail', { name: 'Again' })).statusCode, 401, 'once')

  const second = createBrowser(app)
  const { code: secondCode } = await askForMail(second, smtp, 'ada2@example.com')
  await confirm(second, { code: secondCode })
  const other = await second.post('/register/mail', { name: 'Ada Lovelace' })
  t.match(other.json().user.username, /^ada\.lovelace\d+$/, 'the same name')
})

t.test('an account without a password: a password can be added, and the last way in stays', async t => {
  const { app, smtp, browser } = await setUp(t)
  const { code } = await askForMail(browser, smtp, 'grace@example.com')
  await confirm(browser, { code })
  t.equal((await browser.post('/register/mail', { name: 'Grace', username: 'grace' })).statusCode, 201)
  t.equal((await browser.guarded('POST', '/api/auth/password', { password: PASSWORD })).statusCode, 204)
  t.equal((await createBrowser(app).signIn('grace')).statusCode, 200)
  const changed = await browser.guarded('POST', '/api/auth/email', { email: 'hopper@example.com' })
  t.match(changed.json(), { error: 'Confirm it is you', methods: ['password'] }, 'a mail is not enough any more')
})

t.test('POST /login/mail: turned off (403)', async t => {
  const { owner, user, browser } = await setUp(t, { MAIL_SIGN_IN: 'off' })
  for (const [url, body] of [
    ['/login/mail', { email: user.email }],
    ['/login/mail/link', { token: 'made-up' }],
    ['/login/mail/confirm', { code: '123456' }],
    ['/register/mail', { name: 'Ada' }],
  ] as const) t.equal((await browser.post(url, body)).statusCode, 403, url)
  t.equal((await owner.query('SELECT FROM mail_codes')).rowCount, 0)
})

t.test('POST /login/mail/confirm: not a code and not a link (400)', async t => {
  const { browser } = await setUp(t)
  for (const body of [{}, { code: '12345' }, { code: 'abcdef' }, { code: '1234567' }, { code: '123456', token: 'x' }]) {
    t.equal((await browser.post('/login/mail/confirm', body)).statusCode, 400, JSON.stringify(body))
  }
})
