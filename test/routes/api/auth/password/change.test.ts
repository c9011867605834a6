import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../../support/browser.ts'
import { buildShared, secrets } from '../../../../support/build.ts'
import { eventually } from '../../../../support/patience.ts'
import { repeatRefused } from '../../../../support/repeat-refused.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'
secrets.add(NEW_PASSWORD)

async function setUp (t: Parameters<typeof buildShared>[0]) {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  return { app, owner, user, browser }
}

t.test('POST /api/auth/password: ends the other sessions (204)', async t => {
  const { app, owner, user, browser } = await setUp(t)
  const other = createBrowser(app)
  await other.signIn(user.username)
  const resetLink = await app.oneTimeTokens.issue(user.id, 'reset')
  secrets.add(resetLink)
  t.equal(
    (await browser.guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })).statusCode,
    204
  )
  t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await other.refresh()).statusCode, 401)
  t.equal((await other.signIn(user.username)).statusCode, 401)
  t.equal((await other.signIn(user.username, NEW_PASSWORD)).statusCode, 200)
  t.equal(await app.oneTimeTokens.peek(resetLink, 'reset'), undefined, 'older links are invalid')
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE data->>'kind' = 'password-changed'")).rowCount, 1)
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'password_changed'")).rowCount, 1)
})

t.test('POST /api/auth/password: wrong current one, no CSRF token (403), weak (422), no session (401)', async t => {
  const { app, user, browser } = await setUp(t)
  const change = (current: string, password: string) =>
    browser.guarded('POST', '/api/auth/password', { current, password })
  const wrong = await change(NEW_PASSWORD, NEW_PASSWORD)
  t.equal(wrong.statusCode, 403)
  t.strictSame(wrong.json(), { error: 'Wrong password', message: 'The current password is not correct.' })
  t.equal((await change(PASSWORD, 'weak')).statusCode, 422)
  t.equal((await browser.post('/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })).statusCode, 403)
  t.equal(
    (await createBrowser(app).post('/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })).statusCode,
    401
  )
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
})

t.test('POST /api/auth/password: guesses at the current password are limited (429)', async t => {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, LIMIT_ACCOUNT_MAX: '3' } })
  const user = await createUser(owner)
  const thief = createBrowser(app)
  await thief.signIn(user.username)
  const guess = async (current: string) =>
    (await thief.guarded('POST', '/api/auth/password', { current, password: NEW_PASSWORD })).statusCode
  t.strictSame([await guess('a'), await guess('b'), await guess('c')], [403, 403, 403])
  t.equal(await guess(PASSWORD), 429)
  t.equal((await thief.guarded('DELETE', '/api/auth/me', { password: PASSWORD })).statusCode, 429)
})

t.test('POST /api/auth/password: two changes at once, one succeeds', async t => {
  const { app, user, browser } = await setUp(t)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const changes = ['gl4ss-Harmonica-8!', 'gl4ss-Harmonica-9!']
  const answers = await Promise.all(
    changes.map(password => repeatRefused(() =>
      browser.send('POST', '/api/auth/password', { current: PASSWORD, password }, { 'x-csrf-token': csrfToken })
    ))
  )
  // The other one finds another password, or its session replaced.
  t.match(answers.map(answer => answer.statusCode).sort().join(), /^204,40[13]$/)
  const winner = changes[answers.findIndex(answer => answer.statusCode === 204)] as string
  t.equal((await createBrowser(app).signIn(user.username, winner)).statusCode, 200)
})

t.test('POST /api/auth/password: the first password of a social-only account, after a fresh proof (204)', async t => {
  const { app, owner, user, browser } = await setUp(t)
  const other = createBrowser(app)
  await other.signIn(user.username)
  await owner.query("UPDATE users SET password_hash = NULL, provider = 'provider_a', provider_a_id = '1'")
  await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  const set = () => browser.guarded('POST', '/api/auth/password', { password: NEW_PASSWORD })
  const stale = await set()
  t.equal(stale.statusCode, 403)
  t.match(stale.json(), { error: 'Confirm it is you', methods: ['provider_a'] })

  await owner.query('UPDATE refresh_tokens SET auth_time = now()')
  t.equal((await set()).statusCode, 204)
  t.equal((await createBrowser(app).signIn(user.username, NEW_PASSWORD)).statusCode, 200)
  t.equal((await other.refresh()).statusCode, 401, 'other sessions have ended')
  t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await set()).statusCode, 400, 'from now on it needs the current one')
})

t.test('POST /api/auth/password: a first password whose username another account has (409)', async t => {
  const { owner, user, browser } = await setUp(t)
  await owner.query("UPDATE users SET password_hash = NULL, provider = 'provider_a', provider_a_id = '1'")
  await createUser(owner, { username: user.username.toUpperCase(), email: 'other@example.com' })
  t.equal((await browser.guarded('POST', '/api/auth/password', { password: NEW_PASSWORD })).statusCode, 409)
})

t.test('POST /api/auth/password: two accounts take one username at once, one succeeds (204, 409)', async t => {
  const { app, owner } = await setUp(t)
  const people = await Promise.all([1, 2].map(async number => {
    const user = await createUser(owner)
    const [browser, other] = [createBrowser(app), createBrowser(app)]
    await browser.signIn(user.username)
    await other.signIn(user.username)
    await owner.query(`
      UPDATE users SET password_hash = NULL, provider = 'provider_a', provider_a_id = $2, username = 'ada'
      WHERE id = $1`, [user.id, number])
    return { user, browser, other }
  }))

  // Both requests wait for their rows, so that neither sees the change of the other.
  const client = await owner.connect()
  await client.query("BEGIN; SELECT FROM users WHERE username = 'ada' FOR UPDATE")
  const changes = people.map(({ browser }) => browser.guarded('POST', '/api/auth/password', { password: NEW_PASSWORD }))
  await eventually(
    () => owner.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"),
    ({ rowCount }) => rowCount === 2
  )
  await client.query('COMMIT')
  client.release()
  const statuses = (await Promise.all(changes)).map(({ statusCode }) => statusCode)
  t.strictSame(statuses.toSorted(), [204, 409])

  const loser = people[statuses.indexOf(409)] as typeof people[number]
  const { rows: [row] } = await owner.query('SELECT password_hash FROM users WHERE id = $1', [loser.user.id])
  t.equal(row.password_hash, null)
  t.equal((await loser.other.refresh()).statusCode, 200, 'its sessions go on')
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'password_added'")).rowCount, 1)
  t.equal((await owner.query("SELECT FROM pgboss.job WHERE data->>'change' = 'password_added'")).rowCount, 1)
})

t.test('POST /api/auth/password: the current password of a social-only account (409)', async t => {
  const { owner, browser } = await setUp(t)
  await owner.query("UPDATE users SET password_hash = NULL, provider = 'provider_a', provider_a_id = '1'")
  t.equal(
    (await browser.guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })).statusCode,
    409
  )
})
