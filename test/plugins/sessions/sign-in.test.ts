import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, buildShared } from '../../support/build.ts'
import { shareSmtp } from '../../support/smtp.ts'

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const settings = { ...NO_LIMITS, SMTP_URL: smtp.url }
  return { smtp, settings, ...await buildShared(t, { settings }) }
}

t.test('sign-in notification: for a new browser, not for the first sign-in or known browsers', async t => {
  const { app, owner, smtp } = await setUp(t)
  const user = await createUser(owner)
  const known = createBrowser(app)
  await known.signIn(user.username)
  await known.post('/logout')
  await known.signIn(user.email)
  // As half a year later, when the events have been purged.
  await owner.query('DELETE FROM auth_events')
  const stranger = createBrowser(app, {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/19.0 Mobile/15E148 Safari/604.1',
  })
  await stranger.signIn(user.username)
  await app.queueAlarms()
  const mail = await smtp.next()
  t.equal(mail.reader, user.email)
  t.match(mail.text, 'Safari on iOS')
  t.match(mail.text, stranger.address)
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE name = 'mail'")).rowCount, 1, 'no other mail')
})

t.test('sign-in notification: not when BCRYPT_COST has risen and the hash is renewed', async t => {
  const { app: before, owner, settings } = await setUp(t)
  const DATABASE_URL = before.config.DATABASE_URL as string
  const { app: after } = await build(t, { settings: { ...settings, DATABASE_URL, BCRYPT_COST: '5' } })
  const { username } = await createUser(owner)
  const browser = createBrowser(before)
  for (let time = 0; time < 2; time++) await browser.signIn(username)
  const same = createBrowser(after)
  for (const [name, value] of browser.cookies) same.cookies.set(name, value)

  t.equal((await same.signIn(username)).statusCode, 200)
  const { rows: [{ hash }] } = await owner.query('SELECT password_hash AS hash FROM users')
  t.match(hash, /^\$2b\$05/, 'the hash was renewed')
  await after.queueAlarms()
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE name = 'mail'")).rowCount, 0)
})

t.test('sign-in notification: not for a known browser that signs in more often than the limits look it up', async t => {
  const { app, owner } = await setUp(t)
  const { username } = await createUser(owner)
  const browser = createBrowser(app)
  for (let time = 0; time < 60; time++) t.equal((await browser.signIn(username)).statusCode, 200)
  await app.queueAlarms()
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE name = 'mail'")).rowCount, 0)
})

t.test('sign-in notification: two instances that queue at once tell each owner once', async t => {
  const { app, owner, settings } = await setUp(t)
  const { app: other } = await build(t, { settings: { ...settings, DATABASE_URL: app.config.DATABASE_URL as string } })
  const users = await Promise.all(Array.from({ length: 10 }, () => createUser(owner)))
  for (const { username } of users) {
    for (let time = 0; time < 2; time++) await createBrowser(app).signIn(username)
  }
  await Promise.all([app, other, app, other].map(each => each.queueAlarms()))
  const { rows } = await owner.query<{ email: string }>(
    "SELECT data->>'email' AS email FROM pgboss.job WHERE data->>'kind' = 'new-sign-in'")
  t.strictSame(rows.map(({ email }) => email).sort(), users.map(({ email }) => email).sort())
})
