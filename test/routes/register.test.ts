import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'
import { repeatRefused } from '../support/repeat-refused.ts'
import { shareSmtp } from '../support/smtp.ts'

const ADA = { username: 'ada', email: 'ada@example.com', password: PASSWORD, name: 'Ada L.' }

async function setUp (t: Parameters<typeof buildShared>[0], settings = {}) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, {
    settings: { ...NO_LIMITS, SMTP_URL: smtp.url, PUBLIC_URL: 'https://auth.example.com', ...settings },
  })
  return { smtp, app, owner, browser: createBrowser(app) }
}

t.test('POST /register → mail → POST /verify-email → POST /login', async t => {
  const { smtp, browser, app, owner } = await setUp(t)
  const registered = await browser.post('/register', ADA)
  t.equal(registered.statusCode, 202)
  t.equal((await browser.signIn('ada')).statusCode, 401, 'not before the address is verified')

  const mail = await smtp.next()
  t.equal(mail.reader, 'ada@example.com')
  t.match(mail.text, 'https://auth.example.com/verify-email#token=')
  t.match(mail.text, 'ada')
  const { token } = mail
  t.equal((await browser.get('/verify-email')).statusCode === 204, false, 'GET does not use up the link')
  t.equal((await browser.post('/verify-email', { token })).statusCode, 204)
  t.match((await browser.post('/verify-email', { token })).json(), { error: 'Invalid link' }, 'a link works once')
  t.equal((await browser.signIn('ada')).statusCode, 200)

  const {
    rows: [row],
  } = await owner.query('SELECT * FROM users')
  t.match(row, {
    username: 'ada',
    email: 'ada@example.com',
    name: 'Ada L.',
    provider: null,
    password_hash: /^\$2b\$04\$/,
  })
  t.strictSame(
    (await owner.query('SELECT what FROM auth_events ORDER BY id')).rows.map(event => event.what),
    ['registered', 'sign_in_failed', 'email_verified', 'sign_in', 'sign_in']
  )
  t.equal(await app.oneTimeTokens.peek(token, 'verify'), undefined)
})

t.test('POST /register: a known email, the same response and a notice by mail (202)', async t => {
  const { smtp, browser, owner } = await setUp(t)
  const known = await createUser(owner)
  const unknown = await browser.post('/register', ADA)
  await smtp.next()
  const again = await browser.post('/register', { ...ADA, username: 'eve', email: known.email.toUpperCase() })
  t.equal(again.statusCode, 202)
  t.equal(again.body, unknown.body)
  t.strictSame(Object.keys(again.headers), Object.keys(unknown.headers))
  const mail = await smtp.next()
  t.equal(mail.reader, known.email)
  t.notMatch(mail.text, /token=/)
  t.equal((await browser.signIn(known.username)).statusCode, 200, 'the account is unchanged')
  t.equal((await browser.signIn('eve')).statusCode, 401)
})

t.test('POST /register: a second attempt does not reveal whether the email is known', async t => {
  const { browser, owner } = await setUp(t)
  const known = await createUser(owner)
  await browser.post('/register', { ...ADA, username: 'probe-known', email: known.email })
  await browser.post('/register', { ...ADA, username: 'probe-unknown', email: 'nobody@example.com' })
  const answers = await Promise.all(
    ['probe-known', 'probe-unknown'].map(username =>
      browser.post('/register', { ...ADA, username, email: `${username}@example.com` })
    )
  )
  t.strictSame(
    answers.map(answer => answer.statusCode),
    [409, 409]
  )
  t.equal(answers[0]?.body, answers[1]?.body)
})

t.test('POST /register: a taken username, in any case (409)', async t => {
  const { browser, owner } = await setUp(t)
  await createUser(owner, { username: 'Taken' })
  const answer = await browser.post('/register', { ...ADA, username: 'tAKEN' })
  t.equal(answer.statusCode, 409)
  t.strictSame(answer.json(), { error: 'Conflict', message: 'This username is taken.' })
  t.equal((await owner.query('SELECT FROM users')).rowCount, 1)
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE name = 'mail'")).rowCount, 0)
})

t.test('POST /register: the username of a social account is free (202)', async t => {
  const { browser, owner } = await setUp(t)
  await createUser(owner, {
    username: 'ada',
    email: 'other@example.com',
    password_hash: null,
    provider: 'provider_a',
    provider_a_id: '1',
  })
  t.equal((await browser.post('/register', ADA)).statusCode, 202)
})

const registerUntilDecided = (browser: Browser, payload: object) =>
  repeatRefused(() => browser.post('/register', payload))

t.test('POST /register: fifty at once with one username, one succeeds', async t => {
  const { app, owner } = await setUp(t)
  const waves = [30, 20]
  const statuses: number[] = []
  for (const size of waves) {
    const answers = await Promise.all(
      Array.from({ length: size }, (_, index) =>
        registerUntilDecided(createBrowser(app), { ...ADA, email: `ada${index}.${size}@example.com` })
      )
    )
    statuses.push(...answers.map(answer => answer.statusCode))
  }
  t.equal(statuses.filter(status => status === 202).length, 1, statuses.join())
  t.equal(statuses.filter(status => status === 409).length, 49, statuses.join())
  t.equal((await owner.query('SELECT FROM users')).rowCount, 1)
})

t.test('POST /register: fifty at once with one address, one account', async t => {
  const { app, owner } = await setUp(t)
  for (const size of [30, 20]) {
    const answers = await Promise.all(
      Array.from({ length: size }, (_, index) =>
        registerUntilDecided(createBrowser(app), { ...ADA, username: `ada${index}.${size}` })
      )
    )
    t.ok(
      answers.every(answer => answer.statusCode === 202),
      answers.map(answer => answer.statusCode).join()
    )
  }
  t.equal((await owner.query("SELECT FROM users WHERE email = 'ada@example.com'")).rowCount, 1)
})

t.test('POST /register: a weak password, with each broken rule (422)', async t => {
  const { browser, owner } = await setUp(t)
  const answer = await browser.post('/register', { ...ADA, password: 'ada' })
  t.equal(answer.statusCode, 422)
  t.match(answer.json(), { error: 'Weak password', message: String, valid: false })
  t.strictSame(answer.json().errors.slice(0, 4), [
    'Password must be at least 8 characters',
    'Password must contain uppercase letters',
    'Password must contain numbers',
    'Password must contain special characters',
  ])
  t.match(answer.json().errors[4], /^Password is too weak\./)
  t.equal((await owner.query('SELECT FROM users')).rowCount, 0)
})

t.test('POST /register: REGISTRATION=closed (403)', async t => {
  const { browser } = await setUp(t, { REGISTRATION: 'closed' })
  const answer = await browser.post('/register', ADA)
  t.equal(answer.statusCode, 403)
  t.strictSame(answer.json(), { error: 'Forbidden', message: 'Registration is closed.' })
})

t.test('POST /register: EMAIL_VERIFICATION=off (201), a known email (409)', async t => {
  const { browser } = await setUp(t, { EMAIL_VERIFICATION: 'off' })
  const answer = await browser.post('/register', ADA)
  t.equal(answer.statusCode, 201)
  t.match(answer.json(), { user: { id: /^\d+$/, username: 'ada', email: 'ada@example.com', name: 'Ada L.' } })
  t.equal((await browser.signIn('ada')).statusCode, 200)
  t.equal((await browser.post('/register', { ...ADA, username: 'eve' })).statusCode, 409)
})

t.test('POST /verify-email/resend: known and unknown emails (202), the old link ends', async t => {
  const { smtp, browser } = await setUp(t)
  // Not ADA: the tests above have used up the mails that her mailbox gets in an hour.
  await browser.post('/register', { ...ADA, username: 'eve', email: 'eve@example.com' })
  const first = (await smtp.next()).token
  const known = await browser.post('/verify-email/resend', { email: 'EVE@example.com' })
  const unknown = await browser.post('/verify-email/resend', { email: 'nobody@example.com' })
  t.equal(known.statusCode, 202)
  t.equal(unknown.statusCode, 202)
  t.equal(known.body, unknown.body)
  const second = (await smtp.next()).token
  t.equal((await browser.post('/verify-email', { token: first })).statusCode, 400)
  t.equal((await browser.post('/verify-email', { token: second })).statusCode, 204)
})

t.test('POST /register: later ids do not reveal whether an email was known', async t => {
  const { browser, owner } = await setUp(t)
  const known = await createUser(owner)
  const idAfter = async (username: string, email: string) => {
    await browser.post('/register', { ...ADA, username, email })
    return Number((await createUser(owner)).id)
  }
  const first = Number((await createUser(owner)).id)
  const afterKnown = await idAfter('probe-one', known.email)
  const afterUnknown = await idAfter('probe-two', 'nobody@example.com')
  t.equal(afterKnown - first, afterUnknown - afterKnown)
})
