import t from 'tap'
import { addApplication, addOfflineSession } from '../../../support/applications.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../support/browser.ts'
import { buildShared, type pg } from '../../../support/build.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

async function twoDevices (t: Parameters<typeof buildShared>[0]) {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const laptop = createBrowser(app)
  const phone = createBrowser(app, { userAgent: CHROME })
  await laptop.signIn(user.username)
  await owner.query("UPDATE refresh_tokens SET issued_at = issued_at - interval '1 minute'")
  await phone.signIn(user.username)
  const stranger = createBrowser(app)
  await stranger.signIn((await createUser(owner)).username)
  const list = async () => (await laptop.get('/api/auth/sessions')).json().sessions
  return { app, owner, user, laptop, phone, stranger, list }
}

t.test('GET /api/auth/sessions: devices in words, newest first, the current one marked (200)', async t => {
  const { list, laptop, phone } = await twoDevices(t)
  await phone.refresh()
  const sessions = await list()
  t.match(sessions, [
    { ip: phone.address, device: 'Chrome on Windows', current: false },
    { ip: laptop.address, device: 'Firefox on Linux', current: true },
  ])
  t.equal(sessions.length, 2)
  t.strictSame(Object.keys(sessions[0]), [
    'id', 'ip', 'device', 'application', 'bound', 'firstUsedAt', 'lastUsedAt', 'current',
  ])
})

t.test('GET /api/auth/sessions: a session of an application has its name', async t => {
  const { list, owner, user } = await twoDevices(t)
  const application = await addApplication(owner, 'Notes on Rails')
  const id = await addOfflineSession(owner, user.id, application)
  t.match((await list()).find((session: { id: string }) => session.id === id), {
    device: 'Notes on Rails',
    application: { id: application, name: 'Notes on Rails' },
    current: false,
  })
  await owner.query('DELETE FROM applications')
  t.match((await list()).find((session: { id: string }) => session.id === id), {
    device: 'Unknown device',
    application: null,
  }, 'the application was removed')
})

t.test('DELETE /api/auth/sessions: request 101 in 15 minutes (429)', async t => {
  const { app, owner } = await buildShared(t)
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  const endOthers = async () => (await browser.guarded('DELETE', '/api/auth/sessions')).statusCode
  for (let count = 0; count < 100; count++) t.equal(await endOthers(), 204)
  t.equal(await endOthers(), 429)
  t.equal((await browser.get('/api/auth/sessions')).statusCode, 200, 'reading has a count of its own')
})

t.test('GET /api/auth/sessions: not signed in (401)', async t => {
  const { app } = await buildShared(t)
  t.equal((await createBrowser(app).get('/api/auth/sessions')).statusCode, 401)
})

t.test('DELETE /api/auth/sessions/:id: another session (204), again (404)', async t => {
  const { list, laptop, phone, owner } = await twoDevices(t)
  const [{ id }] = await list()
  t.equal((await laptop.send('DELETE', `/api/auth/sessions/${id}`)).statusCode, 403, 'without a CSRF token')
  t.equal((await laptop.guarded('DELETE', `/api/auth/sessions/${id}`)).statusCode, 204)
  t.equal((await phone.refresh()).statusCode, 401)
  t.equal((await laptop.guarded('DELETE', `/api/auth/sessions/${id}`)).statusCode, 404)
  t.equal((await list()).length, 1)
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'session_ended'")).rowCount, 1)
})

t.test('DELETE /api/auth/sessions/:id: the own session clears the cookies (204)', async t => {
  const { list, laptop } = await twoDevices(t)
  const { id } = (await list()).find((session: { current: boolean }) => session.current)
  t.equal((await laptop.guarded('DELETE', `/api/auth/sessions/${id}`)).statusCode, 204)
  t.equal(laptop.cookies.get('refresh_token'), undefined)
})

t.test('DELETE /api/auth/sessions/:id: of another user or unknown (404), not an id (400)', async t => {
  const { stranger, laptop, list } = await twoDevices(t)
  const [{ id }] = (await stranger.get('/api/auth/sessions')).json().sessions
  t.equal((await laptop.guarded('DELETE', `/api/auth/sessions/${id}`)).statusCode, 404)
  t.equal((await laptop.guarded('DELETE', '/api/auth/sessions/00000000-0000-4000-8000-000000000000')).statusCode, 404)
  for (const bad of ['1', 'urn:uuid:00000000-0000-4000-8000-000000000000']) {
    t.equal((await laptop.guarded('DELETE', `/api/auth/sessions/${bad}`)).statusCode, 400)
  }
  t.equal((await stranger.refresh()).statusCode, 200)
  t.equal((await list()).length, 2)
})

t.test('DELETE /api/auth/sessions: ends all other sessions (204)', async t => {
  const { laptop, phone, stranger } = await twoDevices(t)
  t.equal((await laptop.guarded('DELETE', '/api/auth/sessions')).statusCode, 204)
  t.equal((await phone.refresh()).statusCode, 401)
  t.equal((await laptop.refresh()).statusCode, 200)
  t.equal((await stranger.refresh()).statusCode, 200)
})

t.test('an ended session changes nothing, even before the instance knows that it has ended (401)', async t => {
  const { laptop, phone, list, owner } = await twoDevices(t)
  await owner.query('ALTER TABLE refresh_tokens DISABLE TRIGGER USER')
  t.teardown(() => owner.query('ALTER TABLE refresh_tokens ENABLE TRIGGER USER'))
  const [{ id }] = await list()
  await laptop.guarded('DELETE', `/api/auth/sessions/${id}`)
  t.equal((await phone.get('/api/auth/me')).statusCode, 200)
  t.equal((await phone.guarded('DELETE', '/api/auth/sessions')).statusCode, 401)
  t.equal((await phone.guarded('DELETE', '/api/auth/me', { password: PASSWORD })).statusCode, 401)
  t.equal(
    (await phone.guarded('POST', '/api/auth/password', { current: PASSWORD, password: 'gl4ss-Harmonica-7!' }))
      .statusCode,
    401
  )
  t.equal((await laptop.refresh()).statusCode, 200)
  t.equal((await owner.query('SELECT FROM users')).rowCount, 2)
})

async function manySignIns (t: Parameters<typeof buildShared>[0]) {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, DATABASE_POOL_MAX: '20' } })
  const user = await createUser(owner)
  const signIn = async () => {
    const browser = createBrowser(app)
    t.equal((await browser.signIn(user.username)).statusCode, 200)
    return browser
  }
  return { app, owner, user, signIn }
}

/** Sessions from before the limit: the first is the one used longest ago. */
const addSessions = (owner: pg.Pool, userId: string, count: number) => owner.query(`
  INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at, user_agent)
  SELECT id, $1, sha256(id::text::bytea), now() - ($2 - i) * interval '1 minute', now() + interval '1 day',
    now() - interval '20 days', $3 || i
  FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, $2::int) i)`, [userId, count, CHROME])

const endedByLimit = async (owner: pg.Pool): Promise<number> =>
  (await owner.query("SELECT FROM refresh_tokens WHERE revoked_for = 'session_limit'")).rowCount ?? 0

t.test('POST /login: 120 sign-ins, 100 live sessions; the one used longest ago has ended (401)', async t => {
  const { app, owner, user, signIn } = await manySignIns(t)
  const [used, oldest] = [await signIn(), await signIn()]
  await owner.query("UPDATE refresh_tokens SET issued_at = issued_at - interval '1 hour'")
  t.equal((await used.refresh()).statusCode, 200)
  for (let count = 2; count < 101; count++) await signIn()
  t.equal((await app.sessionsStore.live(user.id)).length, 100)
  t.equal((await oldest.refresh()).statusCode, 401)
  t.equal(await endedByLimit(owner), 1)
  await owner.query("UPDATE refresh_tokens SET issued_at = issued_at - interval '1 hour'")
  t.equal((await used.refresh()).statusCode, 200, 'signed in earlier, but used later')
  let last = used
  for (let count = 101; count < 120; count++) last = await signIn()
  for (const browser of [used, last]) t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await app.sessionsStore.live(user.id)).length, 100)
  t.equal(await endedByLimit(owner), 20)
})

t.test('POST /login: 50 at once, 100 live sessions', async t => {
  const { app, owner, user } = await manySignIns(t)
  await addSessions(owner, user.id, 100)
  const browsers = Array.from({ length: 50 }, () => createBrowser(app))
  const statuses = await Promise.all(browsers.map(async browser => (await browser.signIn(user.username)).statusCode))
  t.strictSame(statuses, browsers.map(() => 200))
  const { rowCount } = await owner.query('SELECT FROM refresh_tokens WHERE revoked_at IS NULL')
  t.equal(rowCount, 100)
  t.equal(await endedByLimit(owner), browsers.length)
  for (const browser of browsers) t.equal((await browser.refresh()).statusCode, 200)
})

t.test('POST /login: at 100 live sessions, a browser that signs in again ends only its own', async t => {
  const { app, owner, user, signIn } = await manySignIns(t)
  await addSessions(owner, user.id, 99)
  const browser = await signIn()
  t.equal((await browser.signIn(user.username)).statusCode, 200)
  t.equal(await endedByLimit(owner), 0)
  t.equal((await app.sessionsStore.live(user.id)).length, 100)
})

t.test('POST /login: the new session stays, even if the clock of the instance is behind', async t => {
  const { owner, user, signIn } = await manySignIns(t)
  await addSessions(owner, user.id, 100)
  await owner.query("UPDATE refresh_tokens SET issued_at = issued_at + interval '1 hour'")
  t.equal((await (await signIn()).refresh()).statusCode, 200)
  t.equal(await endedByLimit(owner), 1)
})

t.test('GET /api/auth/sessions: 22,000 sessions from before the limit, the last 100 are listed (200)', async t => {
  const { owner, user, signIn } = await manySignIns(t)
  await addSessions(owner, user.id, 22_000)
  const browser = await signIn()
  const sessions = (await browser.get('/api/auth/sessions')).json().sessions
  t.equal(sessions.length, 100)
  t.equal(sessions.filter((session: { current: boolean }) => session.current).length, 1)
  t.equal(await endedByLimit(owner), 1_000, 'one sign-in ends a bounded number')
  for (let count = 1; count < 22; count++) await signIn()
  const { rowCount } = await owner.query('SELECT FROM refresh_tokens WHERE revoked_at IS NULL')
  t.equal(rowCount, 100)
})
