import t, { type Test } from 'tap'
import { createBrowser, createUser, hashOf, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { build, buildShared, secrets } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { startRangeServer, TROUBLE } from '../../support/range-server.ts'
import { scrape } from '../../support/scrape.ts'
import { shareSmtp } from '../../support/smtp.ts'

const OTHER = 'gl4ss-Harmonica-7!'
secrets.add(OTHER)

const server = await startRangeServer(t, [PASSWORD, OTHER])
let metrics: string | undefined

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  server.requests.length = 0
  t.teardown(() => server.misbehave())
  const settings = {
    ...NO_LIMITS,
    BCRYPT_COST: '5',
    SMTP_URL: smtp.url,
    METRICS_PORT: '0',
    BREACHED_PASSWORDS_URL: server.url,
  }
  const { app, owner } = await buildShared(t, { settings })
  const url = metrics ??= await app.metrics.listen() as string
  return {
    smtp,
    app,
    owner,
    settings,
    notices: () => smtp.mails.filter(({ subject }) => subject === 'Your Gatehouse password is not safe'),
    checks: async (outcome: string) =>
      (await scrape(url)).get(`gatehouse_breached_password_checks_total{outcome="${outcome}"}`) as number,
  }
}

t.test('POST /login: a wrong guess of a breached password, and an unknown account: nothing is asked (401)', async t => {
  const { app, owner } = await setUp(t)
  const user = await createUser(owner)
  t.equal((await createBrowser(app).signIn(user.username, OTHER)).statusCode, 401)
  t.equal((await createBrowser(app).signIn('nobody-here', PASSWORD)).statusCode, 401)
  t.strictSame(server.requests, [])
})

t.test('POST /login: does not wait for the list, and succeeds without it (200)', async t => {
  const { app, owner, notices, checks } = await setUp(t)
  const unavailable = await checks('unavailable')
  server.misbehave(TROUBLE['does not respond'])
  async function signsInBeforeTheListIsGivenUp () {
    const user = await createUser(owner)
    const before = await checks('unavailable')
    t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
    return await checks('unavailable') === before
  }
  t.ok(await eventually(signsInBeforeTheListIsGivenUp, yes => yes))
  await eventually(() => checks('unavailable'), count => count > unavailable)
  t.strictSame(notices(), [])
})

// After the others: from now on the service remembers which passwords the list contains.
t.test('POST /login: the owner of a breached password is told once, whatever instance is used (200)', async t => {
  const { app, owner, settings, notices, checks } = await setUp(t)
  const { app: second } = await build(t, { settings: { ...settings, DATABASE_URL: app.config.DATABASE_URL as string } })
  const user = await createUser(owner)
  const logins = [app, second, app, second].map(each => createBrowser(each).signIn(user.username))
  for (const { statusCode } of await Promise.all(logins)) t.equal(statusCode, 200)
  await eventually(notices, found => found.length > 0)
  t.match(notices()[0], { reader: user.email, text: new RegExp(`“${user.username}”`) })
  const events = () => owner.query("SELECT FROM auth_events WHERE what = 'breached_password_used'")
  t.equal((await events()).rowCount, 1)

  await owner.query('UPDATE users SET password_hash = $1', [await hashOf(PASSWORD)])
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await eventually(() => checks('found'), count => count >= 2)
  const { rows: [row] } = await owner.query('SELECT password_hash AS hash, stolen_password_told_at AS told FROM users')
  t.match(row, { hash: /^\$2b\$05/, told: Date }, 'another hash of the same password is no new password')

  server.misbehave(TROUBLE['responds with 503'])
  const change = { current: PASSWORD, password: OTHER }
  t.equal((await browser.guarded('POST', '/api/auth/password', change)).statusCode, 204)
  server.misbehave()
  t.equal((await createBrowser(second).signIn(user.username, OTHER)).statusCode, 200)
  await eventually(notices, found => found.length > 1)
  t.equal((await events()).rowCount, 2, 'once for each password')
})
