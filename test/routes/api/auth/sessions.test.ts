import t from 'tap'
import { createBrowser, createUser, PASSWORD } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

async function twoDevices (t: Parameters<typeof buildShared>[0]) {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const laptop = createBrowser(app)
  const phone = createBrowser(app, { userAgent: CHROME })
  await laptop.signIn(user.username)
  await owner.query("UPDATE refresh_tokens SET created_at = created_at - interval '1 minute'")
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
  t.strictSame(Object.keys(sessions[0]), ['id', 'ip', 'device', 'firstUsedAt', 'lastUsedAt', 'current'])
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

t.test('an ended session with a valid access token changes nothing (401)', async t => {
  const { laptop, phone, list, owner } = await twoDevices(t)
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
