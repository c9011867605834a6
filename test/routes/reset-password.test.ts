import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { buildShared, secrets } from '../support/build.ts'
import { repeatRefused } from '../support/repeat-refused.ts'
import { addTotp, codeOf } from '../support/second-factor.ts'
import { shareSmtp } from '../support/smtp.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'
secrets.add(NEW_PASSWORD)

async function setUp (t: Parameters<typeof buildShared>[0]) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  const askedFor = async (email: string) => {
    const answer = await browser.post('/reset-password', { email })
    const token = (await smtp.next()).token
    return { answer, token }
  }
  return { smtp, app, owner, user, browser, askedFor }
}

t.test('POST /reset-password → mail → POST /reset-password/confirm: every session ends (204)', async t => {
  const { smtp, browser, user, askedFor, app } = await setUp(t)
  const signedIn = createBrowser(app)
  await signedIn.signIn(user.username)
  const { answer, token } = await askedFor(user.email.toUpperCase())
  t.equal(answer.statusCode, 202)
  t.equal((await signedIn.refresh()).statusCode, 200, 'the request changes nothing')

  const confirmed = await browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })
  t.equal(confirmed.statusCode, 204)
  t.equal(confirmed.headers['set-cookie'], undefined, 'the link does not sign in')
  t.equal((await signedIn.refresh()).statusCode, 401)
  t.match((await smtp.next()).subject, /password/i)
  t.equal((await browser.signIn(user.username)).statusCode, 401)
  t.equal((await browser.signIn(user.username, NEW_PASSWORD)).statusCode, 200)
  t.match((await browser.post('/reset-password/confirm', { token, password: PASSWORD })).json(), {
    error: 'Invalid link',
  })
})

t.test('POST /reset-password/confirm: the second factor stays (204), the next login asks for it (202)', async t => {
  const { owner, browser, user, askedFor } = await setUp(t)
  const factor = await addTotp(owner, user.id)
  const { token } = await askedFor(user.email)
  t.equal((await browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })).statusCode, 204)
  t.equal((await browser.signIn(user.username, NEW_PASSWORD)).statusCode, 202)
  t.notOk(browser.cookies.has('access_token'))
  t.equal((await browser.post('/login/second-factor', { code: codeOf(factor.secret) })).statusCode, 200)
})

t.test('POST /reset-password: one response for known and unknown emails (202)', async t => {
  const { smtp, browser, owner, user } = await setUp(t)
  const disabled = await createUser(owner, { disabled_at: new Date() })
  const social = await createUser(owner, { password_hash: null, provider: 'provider_a', provider_a_id: '1' })
  const answers = []
  for (const email of ['nobody@example.com', disabled.email, social.email, user.email]) {
    answers.push(await browser.post('/reset-password', { email }))
  }
  t.strictSame(
    [...new Set(answers.map(answer => `${answer.statusCode} ${answer.body} ${Object.keys(answer.headers)}`))]
      .length,
    1
  )
  const mails = [await smtp.next(), await smtp.next()]
  t.strictSame(mails.map(mail => mail.reader).sort(), [social.email, user.email].sort())
  t.notMatch(mails.find(mail => mail.reader === social.email)?.text, /token=/)
})

t.test('POST /reset-password/confirm: fifty at once with one link, one succeeds', async t => {
  const { app, owner, user, askedFor } = await setUp(t)
  const { token } = await askedFor(user.email)
  const passwords = Array.from({ length: 50 }, (_, index) => `gl4ss-Harmonica-${index}!`)
  const statuses: number[] = []
  for (const wave of [passwords.slice(0, 30), passwords.slice(30)]) {
    const answers = await Promise.all(
      wave.map(async password => {
        const browser = createBrowser(app)
        return repeatRefused(() => browser.post('/reset-password/confirm', { token, password }))
      })
    )
    statuses.push(...answers.map(answer => answer.statusCode))
  }
  t.equal(statuses.filter(status => status === 204).length, 1, statuses.join())
  t.equal(statuses.filter(status => status === 400).length, 49, statuses.join())
  const winner = passwords[statuses.indexOf(204)] as string
  t.equal((await createBrowser(app).signIn(user.username, winner)).statusCode, 200)
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'password_reset'")).rowCount, 1)
})

t.test('POST /reset-password/confirm: a weak password, the link stays valid (422)', async t => {
  const { browser, user, askedFor } = await setUp(t)
  const { token } = await askedFor(user.email)
  t.equal((await browser.post('/reset-password/confirm', { token, password: 'weak' })).statusCode, 422)
  t.equal((await browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })).statusCode, 204)
})

t.test('POST /reset-password/confirm: an old, expired, wrong or made-up link (400)', async t => {
  const { app, browser, owner, user, askedFor } = await setUp(t)
  const { token: older } = await askedFor(user.email)
  const { token: newest } = await askedFor(user.email)
  const verifyToken = await app.oneTimeTokens.issue(user.id, 'verify')
  secrets.add(verifyToken)
  const confirm = async (token: string) =>
    (await browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })).statusCode
  t.equal(await confirm(older), 400, 'replaced by a newer one')
  t.equal(await confirm(verifyToken), 400, 'of the other kind')
  t.equal(await confirm('made-up'), 400)
  await owner.query("UPDATE one_time_tokens SET expires_at = now() - interval '1 second'")
  t.equal(await confirm(newest), 400, 'expired')
  t.equal((await browser.signIn(user.username)).statusCode, 200, 'the password is unchanged')
})

t.test('POST /reset-password/confirm: verifies the email of an unverified account (204)', async t => {
  const { app, browser, owner } = await setUp(t)
  const user = await createUser(owner, { email_verified_at: null })
  const token = await app.oneTimeTokens.issue(user.id, 'reset')
  secrets.add(token)
  t.equal((await browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })).statusCode, 204)
  t.equal((await browser.signIn(user.username, NEW_PASSWORD)).statusCode, 200)
})

t.test('links: a reset expires after one hour, a verification after one day', async t => {
  const { app, owner, user } = await setUp(t)
  for (const kind of ['reset', 'verify'] as const) secrets.add(await app.oneTimeTokens.issue(user.id, kind))
  const { rows } = await owner.query(
    'SELECT kind, extract(epoch FROM expires_at - created_at)::int / 3600 AS hours FROM one_time_tokens ORDER BY kind'
  )
  t.strictSame(rows, [
    { kind: 'reset', hours: 1 },
    { kind: 'verify', hours: 24 },
  ])
})
