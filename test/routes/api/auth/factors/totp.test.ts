import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../../../support/browser.ts'
import { buildShared, secrets } from '../../../../support/build.ts'
import { addTotp, codeOf, wrongCode } from '../../../../support/second-factor.ts'
import { eventually } from '../../../../support/patience.ts'
import { startSmtp } from '../../../../support/smtp.ts'

const smtp = await startSmtp(t)
const FACTORS = '/api/auth/factors'

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url, ...settings } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  t.equal((await browser.signIn(user.username)).statusCode, 200)
  const events = async () => (await browser.get('/api/auth/events')).json().events.map(({ what }: any) => what)
  /** What the owner was told about changes of the sign-in. Two mails that wait at the same time have no order. */
  const alerts = (count: number) => eventually(
    async () => smtp.mails.filter(({ reader, subject }) => reader === user.email && /was changed/.test(subject ?? '')),
    mails => mails.length === count
  )
  return { app, owner, user, browser, events, alerts }
}

type Browser = Awaited<ReturnType<typeof setUp>>['browser']

async function enrol (browser: Browser) {
  const { secret } = (await browser.guarded('POST', `${FACTORS}/totp`)).json()
  secrets.add(secret)
  const answer = await browser.guarded('POST', `${FACTORS}/totp/confirm`, { code: codeOf(secret) })
  for (const code of answer.json().recoveryCodes ?? []) secrets.add(code)
  return { secret, answer }
}

const NOT_FRESH = { error: 'Confirm it is you', message: 'Confirm your identity, and then try again.' }

t.test('POST /api/auth/factors/totp, /confirm: it counts once confirmed; codes, event and mail (200)', async t => {
  const { app, user, browser, events, alerts } = await setUp(t)
  const begun = await browser.guarded('POST', `${FACTORS}/totp`)
  t.equal(begun.statusCode, 200)
  const { secret, uri, qr } = begun.json()
  secrets.add(secret)
  t.match(uri, new RegExp(`^otpauth://totp/Gatehouse:${user.username}\\?secret=${secret}&issuer=Gatehouse$`))
  t.match(qr, /^<svg /)
  t.match((await browser.get(FACTORS)).json(), { totp: false, recoveryCodesLeft: 0, required: false })
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200, 'not asked for yet')

  const wrong = await browser.guarded('POST', `${FACTORS}/totp/confirm`, { code: wrongCode(secret) })
  t.equal(wrong.statusCode, 403)
  t.equal(wrong.json().error, 'Invalid code')

  const confirmed = await browser.guarded('POST', `${FACTORS}/totp/confirm`, { code: codeOf(secret) })
  t.equal(confirmed.statusCode, 200)
  const { recoveryCodes } = confirmed.json()
  for (const code of recoveryCodes) secrets.add(code)
  t.equal(new Set(recoveryCodes).size, 10)
  t.match((await browser.get(FACTORS)).json(), { totp: true, recoveryCodesLeft: 10, required: false })
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 202, 'from now on')
  t.strictSame((await events()).filter((what: string) => what !== 'sign_in'), ['totp_added'])
  t.match(await alerts(1), [{ text: 'An authenticator app was added to your account' }])
})

t.test('POST /api/auth/factors/totp: again before it is confirmed (200), afterwards (409)', async t => {
  const { browser } = await setUp(t)
  const first = (await browser.guarded('POST', `${FACTORS}/totp`)).json().secret
  const { secret, answer } = await enrol(browser)
  t.not(secret, first)
  t.equal(answer.statusCode, 200)
  t.equal((await browser.guarded('POST', `${FACTORS}/totp`)).statusCode, 409)
  t.equal((await browser.guarded('POST', `${FACTORS}/totp/confirm`, { code: codeOf(secret, 1) })).statusCode, 403)
})

t.test('POST /api/auth/factors/recovery-codes: new ones void the old (200); without a factor (409)', async t => {
  const { app, user, browser, events, alerts } = await setUp(t)
  t.equal((await browser.guarded('POST', `${FACTORS}/recovery-codes`)).statusCode, 409)
  const { answer } = await enrol(browser)
  const renewed = await browser.guarded('POST', `${FACTORS}/recovery-codes`)
  t.equal(renewed.statusCode, 200)
  const [old] = answer.json().recoveryCodes
  const [current] = renewed.json().recoveryCodes
  for (const code of renewed.json().recoveryCodes) secrets.add(code)

  const other = createBrowser(app)
  await other.signIn(user.username)
  t.equal((await other.post('/login/second-factor', { code: old })).statusCode, 401)
  t.equal((await other.post('/login/second-factor', { code: current.toUpperCase() })).statusCode, 200)
  t.equal((await browser.get(FACTORS)).json().recoveryCodesLeft, 9)
  t.match(await events(), ['sign_in', 'recovery_code_used', 'second_factor_failed', 'recovery_codes_created'])
  const told = (await alerts(3)).map(({ text }) => text).join('\n')
  for (const text of ['added to your account', 'New recovery codes were created', 'A recovery code was used']) {
    t.match(told, text)
  }
})

t.test('DELETE /api/auth/factors/totp: with its recovery codes (204), without one (404)', async t => {
  const { app, owner, user, browser, events, alerts } = await setUp(t)
  await enrol(browser)
  t.equal((await browser.guarded('DELETE', `${FACTORS}/totp`)).statusCode, 204)
  t.equal((await owner.query('SELECT FROM recovery_codes')).rowCount, 0)
  t.equal((await browser.guarded('DELETE', `${FACTORS}/totp`)).statusCode, 404)
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
  t.match(await events(), ['sign_in', 'totp_removed', 'totp_added'])
  t.match((await alerts(2)).map(({ text }) => text).join('\n'), 'The authenticator app was removed')
})

t.test('without a fresh proof (403), and the methods that give one', async t => {
  const { owner, user, browser } = await setUp(t)
  await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '601 seconds'")
  const begun = await browser.guarded('POST', `${FACTORS}/totp`)
  t.equal(begun.statusCode, 403)
  t.strictSame(begun.json(), { ...NOT_FRESH, methods: ['password'] })

  await addTotp(owner, user.id)
  await owner.query('UPDATE refresh_tokens SET auth_time = now()')
  for (const [method, path] of [
    ['DELETE', '/totp'], ['POST', '/recovery-codes'], ['POST', '/totp'], ['POST', '/totp/confirm'],
  ] as const) {
    const body = path === '/totp/confirm' ? { code: '123456' } : undefined
    const answer = await browser.guarded(method, FACTORS + path, body)
    t.equal(answer.statusCode, 403, 'a password is no proof for an account with a second factor')
    t.strictSame(answer.json(), { ...NOT_FRESH, methods: ['totp', 'recovery'] })
  }
})

t.test('without a CSRF token (403), signed out (401), of an ended session (401)', async t => {
  const { app, owner, browser } = await setUp(t)
  const requests = [
    ['POST', '/totp'], ['DELETE', '/totp'], ['POST', '/recovery-codes'],
  ] as const
  for (const [method, path] of requests) {
    t.equal((await browser.send(method, FACTORS + path)).statusCode, 403)
    t.equal((await createBrowser(app).send(method, FACTORS + path)).statusCode, 401)
  }
  t.equal((await createBrowser(app).get(FACTORS)).statusCode, 401)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  await owner.query('UPDATE refresh_tokens SET revoked_at = now()')
  for (const [method, path] of requests) {
    t.equal((await browser.send(method, FACTORS + path, undefined, { 'x-csrf-token': csrfToken })).statusCode, 401)
  }
})

t.test('SECOND_FACTOR=off: none can be added (403), and an existing one is still asked for', async t => {
  const { app, owner, user, browser } = await setUp(t, { SECOND_FACTOR: 'off' })
  const answer = await browser.guarded('POST', `${FACTORS}/totp`)
  t.equal(answer.statusCode, 403)
  t.equal(answer.json().message, 'Second factors are turned off.')
  await addTotp(owner, user.id)
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 202)
})
