// A stranger registers with the address of another person, which EMAIL_VERIFICATION=off allows.
import t, { type Test } from 'tap'
import type { MailMessage } from '../../../plugins/mail/mail-composer.ts'
import { digest } from '../../../src/secrets/digest.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { buildShared, secrets } from '../../support/build.ts'
import { allSent } from '../../support/held-mails.ts'
import { enrolled, ORIGIN, signInWithPasskey } from '../../support/passkeys.ts'
import { codeOf } from '../../support/second-factor.ts'
import { shareSmtp } from '../../support/smtp.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'
secrets.add(NEW_PASSWORD)

let people = 0

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const settings = { ...NO_LIMITS, EMAIL_VERIFICATION: 'off', SMTP_URL: smtp.url, PUBLIC_URL: ORIGIN }
  const { app, owner } = await buildShared(t, { settings })
  const username = `stranger${++people}`
  const email = `${username}@example.com`
  const stranger = createBrowser(app)
  const { user } = (await stranger.post('/register', { username, email, password: PASSWORD })).json()
  t.equal((await stranger.signIn(username)).statusCode, 200)

  /** Sets up every way in: a passkey, an authenticator app in a remembered browser, and two providers. */
  async function settleIn () {
    const { authenticator } = await enrolled(stranger)
    await owner.query("UPDATE refresh_tokens SET amr = '{pwd,mfa}' WHERE user_id = $1", [user.id])
    const { secret } = (await stranger.guarded('POST', '/api/auth/factors/totp')).json()
    const { statusCode } = await stranger.guarded('POST', '/api/auth/factors/totp/confirm', { code: codeOf(secret) })
    t.equal(statusCode, 200)
    await owner.query('UPDATE totp SET last_step = 0')
    const remembered = createBrowser(app)
    await remembered.signIn(username)
    await remembered.post('/login/second-factor', { code: codeOf(secret), remember: true })
    t.equal((await remembered.signIn(username)).statusCode, 200, 'without the second factor')
    await owner.query("UPDATE users SET provider_a_id = 'a' || id WHERE id = $1", [user.id])
    await owner.query(`
      INSERT INTO identities (provider, subject, issuer, user_id)
      VALUES ('c', 's' || $1::bigint, 'https://c.example', $1)`, [user.id])
    return { authenticator, remembered }
  }

  async function waysIn (): Promise<object> {
    const { rows: [row] } = await owner.query(`
      SELECT (SELECT count(*)::int FROM passkeys WHERE user_id = u.id) AS passkeys,
        (SELECT count(*)::int FROM totp WHERE user_id = u.id) AS totp,
        (SELECT count(*)::int FROM recovery_codes WHERE user_id = u.id) AS codes,
        (SELECT count(*)::int FROM identities WHERE user_id = u.id) AS identities, provider_a_id IS NULL AS "noProvider"
      FROM users u WHERE id = $1`, [user.id])
    return row
  }

  async function linkFor (path: string): Promise<string> {
    await createBrowser(app).post(path, { email })
    await allSent(owner)
    return smtp.mails.findLast(mail => mail.reader === email)?.token ?? ''
  }

  const eventsOf = async () => (await owner.query<{ what: string }>(
    'SELECT what FROM auth_events WHERE user_id = $1 ORDER BY id', [user.id])).rows.map(({ what }) => what)
  return { smtp, app, owner, id: user.id as string, username, email, stranger, settleIn, waysIn, linkFor, eventsOf }
}

const NOTHING = { passkeys: 0, totp: 0, codes: 0, identities: 0, noProvider: true }
const EVERYTHING = { passkeys: 1, totp: 1, codes: 10, identities: 1, noProvider: false }

t.test('a reset that proves the address for the first time removes what a stranger set up', async t => {
  const { smtp, app, owner, username, email, stranger, settleIn, waysIn, linkFor, eventsOf } = await setUp(t)
  const { authenticator, remembered } = await settleIn()
  t.strictSame(await waysIn(), EVERYTHING)
  await stranger.guarded('POST', '/api/auth/email', { email: `moved.${email}` })
  const token = await linkFor('/reset-password')
  const change = smtp.mails.find(({ reader }) => reader === `moved.${email}`)?.token
  const browser = createBrowser(app)
  t.equal((await browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })).statusCode, 204)

  t.strictSame(await waysIn(), NOTHING)
  for (const each of [stranger, remembered]) t.equal((await each.refresh()).statusCode, 401)
  t.equal((await signInWithPasskey(createBrowser(app), authenticator)).statusCode, 401)
  t.equal((await remembered.signIn(username)).statusCode, 401)
  t.equal((await browser.post('/verify-email/change', { token: change })).statusCode, 400)
  t.equal((await browser.signIn(username, NEW_PASSWORD)).statusCode, 200, 'the owner is not asked for a factor')

  const seen = await eventsOf()
  const proof = seen.indexOf('email_verified')
  t.strictSame(seen.slice(proof, proof + 5),
    ['email_verified', 'totp_removed', 'passkey_removed', 'provider_removed', 'password_reset'])
  await allSent(owner)
  const told = smtp.mails.filter(mail => mail.reader === email && / was (removed|disconnected)/.test(mail.text ?? ''))
  t.equal(told.length, 3)
})

t.test('a reset of an address that was proved before keeps the factors', async t => {
  const { app, owner, id, username, settleIn, waysIn, linkFor } = await setUp(t)
  await settleIn()
  await owner.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [id])
  const browser = createBrowser(app)
  await browser.post('/reset-password/confirm', { token: await linkFor('/reset-password'), password: NEW_PASSWORD })
  t.strictSame(await waysIn(), EVERYTHING)
  t.equal((await browser.signIn(username, NEW_PASSWORD)).statusCode, 202)
})

const PLACES: Array<[name: string, browserOf: (service: Awaited<ReturnType<typeof setUp>>) => Promise<Browser>]> = [
  ['in a browser that is not signed in', async ({ app }) => createBrowser(app)],
  ['in a browser that is signed in to another account', async ({ app, owner }) => {
    const browser = createBrowser(app)
    await browser.signIn((await createUser(owner)).username)
    return browser
  }],
  ['in a browser whose session has ended', async ({ owner, id, stranger }) => {
    await owner.query('UPDATE refresh_tokens SET revoked_at = now() WHERE user_id = $1', [id])
    return stranger
  }],
]

for (const [name, browserOf] of PLACES) {
  t.test(`a verification link ${name} removes what was set up before, and ends every session`, async t => {
    const service = await setUp(t)
    const { username, stranger, settleIn, waysIn, linkFor } = service
    const { remembered } = await settleIn()
    const browser = await browserOf(service)
    t.equal((await browser.post('/verify-email', { token: await linkFor('/verify-email/resend') })).statusCode, 204)
    t.strictSame(await waysIn(), NOTHING)
    for (const each of [stranger, remembered]) t.equal((await each.refresh()).statusCode, 401)
    t.equal((await browser.signIn(username)).statusCode, 200, 'the password stays')
  })
}

t.test('a verification link in a browser that is signed in to the account keeps everything', async t => {
  const { stranger, settleIn, waysIn, linkFor, eventsOf } = await setUp(t)
  const { remembered } = await settleIn()
  stranger.cookies.delete('access_token')
  t.equal((await stranger.post('/verify-email', { token: await linkFor('/verify-email/resend') })).statusCode, 204)
  t.strictSame(await waysIn(), EVERYTHING)
  for (const each of [stranger, remembered]) t.equal((await each.refresh()).statusCode, 200)
  t.equal((await eventsOf()).at(-1), 'email_verified')
})

t.test('an address that was never proved gets no mail but those that prove it', async t => {
  const { smtp, app, owner, id, username, email, stranger } = await setUp(t)
  for (let each = 0; each < 10; each++) await createBrowser(app).signIn(username)
  await stranger.guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })
  await allSent(owner)
  t.strictSame(smtp.mails, [])

  /** Whether the mail is sent. A kind that is added must be listed. */
  const KINDS: Record<Exclude<MailMessage['kind'], 'webhook-paused'>, boolean> = {
    verify: true,
    reset: true,
    invite: true,
    'already-registered': true,
    'sign-in': true,
    'confirm-identity': false,
    'password-changed': false,
    'breached-password': false,
    'factors-changed': false,
    'new-sign-in': false,
    'session-theft': false,
    'email-restored': false,
    // These go to other addresses: a new one, or one that was proved.
    'change-email': false,
    'email-changed': false,
    'email-displaced': false,
  }
  const askedBy = digest('a browser')
  await app.mailCodes.begin(app.database, { purpose: 'sign-in', email, askedBy })
  const values = {
    askedBy: askedBy.toString('base64url'),
    ip: '192.0.2.1',
    device: 'Firefox on Linux',
    at: new Date().toISOString(),
    change: 'totp_added',
  }
  for (const [kind, isSent] of Object.entries(KINDS)) {
    const of = /^(change-email|email-changed|email-displaced)$/.test(kind) ? { userId: id } : {}
    smtp.forget()
    await app.mail.queue(app.database, { kind, email, ...values, ...of } as MailMessage)
    await allSent(owner)
    t.equal(smtp.mails.length, isSent ? 1 : 0, kind)
    for (const mail of smtp.mails) t.ok(mail.token, `${kind}: a link that proves the address`)
  }

  await owner.query('UPDATE users SET password_hash = NULL WHERE id = $1', [id])
  smtp.forget()
  await app.mail.queue(app.database, { kind: 'reset', email })
  await allSent(owner)
  t.strictSame(smtp.mails, [], 'an account without a password')
})
