import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { build, secrets } from '../../support/build.ts'
import { startRangeServer, TROUBLE } from '../../support/range-server.ts'
import { scrape } from '../../support/scrape.ts'
import { shareSmtp } from '../../support/smtp.ts'

const BREACHED = 'gl4ss-Harmonica-7!'
const GOOD = 'br4ss-Harmonica-8!'
secrets.add(BREACHED)
secrets.add(GOOD)

const REFUSAL = {
  error: 'Weak password',
  message: 'Choose a password that was never exposed in a data breach.',
  valid: false,
  errors: ['Password was exposed in a data breach'],
}

async function setUp (t: Test) {
  const [server, smtp] = [await startRangeServer(t, [BREACHED]), await shareSmtp(t)]
  const { app, owner, log } = await build(t, {
    settings: { ...NO_LIMITS, SMTP_URL: smtp.url, METRICS_PORT: '0', BREACHED_PASSWORDS_URL: server.url },
  })
  const metrics = await app.metrics.listen() as string
  return {
    server,
    smtp,
    app,
    owner,
    log,
    checks: async (outcome: string) =>
      (await scrape(metrics)).get(`gatehouse_breached_password_checks_total{outcome="${outcome}"}`),
  }
}

t.test('POST /register, /reset-password/confirm, /api/auth/password: a breached password (422)', async t => {
  const { server, smtp, app, owner, checks } = await setUp(t)
  const browser = createBrowser(app)
  const registration = { username: 'ada', email: 'ada@example.com', password: BREACHED }
  const refused = await browser.post('/register', registration)
  t.equal(refused.statusCode, 422)
  t.strictSame(refused.json(), REFUSAL)
  t.equal((await browser.post('/register', { ...registration, password: GOOD })).statusCode, 202)
  await smtp.next()

  const user = await createUser(owner)
  await browser.signIn(user.username)
  const change = (password: string) => browser.guarded('POST', '/api/auth/password', { current: PASSWORD, password })
  t.strictSame((await change(BREACHED)).json(), REFUSAL)

  const token = await app.oneTimeTokens.issue(user.id, 'reset')
  secrets.add(token)
  const reset = (password: string) => browser.post('/reset-password/confirm', { token, password })
  t.strictSame((await reset(BREACHED)).json(), REFUSAL)
  t.equal((await reset(GOOD)).statusCode, 204, 'the link is still valid')

  const asked = server.requests.length
  t.equal((await browser.post('/register', { ...registration, password: 'weak' })).statusCode, 422)
  await browser.post('/api/auth/password/check', { password: BREACHED })
  t.equal(server.requests.length, asked, 'weak passwords and password checks are not sent')
  t.equal(await checks('found'), 3)
})

t.test('a list that does not work: passwords are allowed, counted, and one line is logged', async t => {
  const { server, app, log, checks } = await setUp(t)
  const register = async (username: string) =>
    createBrowser(app).post('/register', { username, email: `${username}@example.com`, password: BREACHED })
  const troubles = Object.values(TROUBLE)
  for (const [index, instead] of troubles.entries()) {
    server.misbehave(instead)
    t.equal((await register(`user-${index}`)).statusCode, 202)
  }
  t.equal(await checks('unavailable'), troubles.length)
  t.equal(log.lines.filter(({ msg }) => /breached passwords cannot be asked/.test(msg)).length, 1)
  const { hashOf } = server
  t.notOk(log.text.includes(hashOf(BREACHED).slice(0, 5)), 'the log does not contain the prefix')
  server.misbehave()
  t.equal((await register('user-x')).statusCode, 422)
})

t.test('without BREACHED_PASSWORDS_URL nothing is asked', async t => {
  const { app } = await build(t, { settings: NO_LIMITS })
  t.equal(await app.isBreached('password'), false)
})
