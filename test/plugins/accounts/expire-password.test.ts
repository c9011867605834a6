import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { buildShared } from '../../support/build.ts'
import { addTotp } from '../../support/second-factor.ts'
import { shareSmtp } from '../../support/smtp.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })
  const expire = async (id: string) => {
    const user = await app.users.findById(id)
    if (!user) throw new Error('no such user')
    return app.administration.expirePassword(user)
  }
  return { app, owner, smtp, expire }
}

t.test('an expired password: sessions end, the owner is told, and a reset leads back in', async t => {
  const { app, owner, smtp, expire } = await setUp(t)
  const { id, username, email } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  t.equal(await expire(id), true)
  t.equal((await browser.refresh()).statusCode, 401)
  t.equal((await browser.signIn(username)).statusCode, 401, 'also in a browser that was known')
  const told = await smtp.next()
  t.equal(told.reader, email)
  t.match(told.text, /has expired the password[^]+\/reset-password\n/)
  t.equal(told.token, '')

  t.equal(await expire(id), false, 'there is none any more')
  await browser.post('/reset-password', { email })
  const { token } = await smtp.next()
  t.equal((await browser.post('/reset-password/confirm', { token, password: NEW_PASSWORD })).statusCode, 204)
  t.equal((await browser.signIn(username)).statusCode, 401)
  t.equal((await browser.signIn(username, NEW_PASSWORD)).statusCode, 200)
  const { rows } = await owner.query("SELECT actor FROM auth_events WHERE what = 'password_expired'")
  t.strictSame(rows, [{ actor: 'command line' }])
  const { rows: ended } = await owner.query(
    'SELECT revoked_for AS reason FROM refresh_tokens WHERE revoked_at IS NOT NULL')
  t.strictSame(ended, [{ reason: 'password_expired' }])
})

t.test('POST /login with an expired password: the same response and event as with a wrong one (401)', async t => {
  const { app, owner, expire } = await setUp(t)
  const [expired, other] = [await createUser(owner), await createUser(owner)]
  await expire(expired.id)
  const answers = [
    await createBrowser(app).signIn(expired.username, PASSWORD),
    await createBrowser(app).signIn(expired.username, 'wr0ng-Guess-in-the-dark!'),
    await createBrowser(app).signIn(other.username, 'wr0ng-Guess-in-the-dark!'),
  ]
  for (const { statusCode, body, cookies } of answers) {
    t.equal(statusCode, 401)
    t.equal(body, answers[2]?.body)
    t.strictSame(cookies, [])
  }
  const { rows } = await owner.query("SELECT user_id AS id FROM auth_events WHERE what = 'sign_in_failed' ORDER BY id")
  t.strictSame(rows, [{ id: expired.id }, { id: expired.id }, { id: other.id }])
})

t.test('an expired password: a login under way and a remembered browser end', async t => {
  const { app, owner, expire } = await setUp(t)
  const { id, username } = await createUser(owner)
  const totp = await addTotp(owner, id)
  const [browser, waiting] = [createBrowser(app), createBrowser(app)]
  await browser.signIn(username)
  await browser.post('/login/second-factor', { code: await totp.freshCode(), remember: true })
  t.equal((await browser.signIn(username)).statusCode, 200, 'not asked for the second factor')
  t.equal((await waiting.signIn(username)).statusCode, 202)
  await expire(id)
  t.equal((await waiting.post('/login/second-factor', { code: await totp.freshCode() })).statusCode, 401)

  const token = await app.oneTimeTokens.issue(id, 'reset')
  t.equal((await browser.post('/reset-password/confirm', { token, password: PASSWORD })).statusCode, 204)
  t.equal((await browser.signIn(username)).statusCode, 202, 'asked for it again')
})

t.test('accounts whose owner has yet to choose a password: `hasPassword` is false, no password is right', async t => {
  const { app, owner, expire } = await setUp(t)
  const { id: expired } = await createUser(owner)
  await expire(expired)
  const invited = await app.administration.invite({ username: 'grace', email: 'grace@example.com' })
  for (const id of [expired, invited]) {
    t.match(await app.factors.waysOf(id), { hasPassword: false })
    t.match((await app.userList.page({ limit: 10 })).users.find(user => user.id === id), { hasPassword: false })
    const user = await app.users.findById(id)
    for (const password of [PASSWORD, user?.passwordHash as string, '!', '']) {
      t.equal(await app.passwords.verify(password, user?.passwordHash), false)
    }
    t.equal(await app.factors.hasWayIn(app.database, id), true, 'through a reset')
  }
})

t.test('POST /api/auth/password: a new one in place of an expired one, with a fresh proof (204)', async t => {
  const { app, owner } = await setUp(t)
  const { id, username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  // As if this session had begun through a provider afterwards.
  await owner.query("UPDATE users SET password_hash = '!expired' WHERE id = $1", [id])
  t.match((await browser.get('/api/auth/account')).json(), { hasPassword: false })
  await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  t.equal((await browser.guarded('POST', '/api/auth/password', { password: NEW_PASSWORD })).statusCode, 403)
  await owner.query('UPDATE refresh_tokens SET auth_time = now()')
  t.equal((await browser.guarded('POST', '/api/auth/password', { password: NEW_PASSWORD })).statusCode, 204)
  t.equal((await createBrowser(app).signIn(username, NEW_PASSWORD)).statusCode, 200)
})
