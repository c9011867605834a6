import { randomUUID } from 'node:crypto'
import t from 'tap'
import { addApplication, addGrant, addOfflineSession, allowApplication } from '../../../support/applications.ts'
import { createBrowser, createUser } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'

const PATH = '/api/auth/applications'

async function signedIn (t: Parameters<typeof buildShared>[0]) {
  const { app, owner } = await buildShared(t)
  t.teardown(() => owner.query('DELETE FROM applications'))
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const [{ id: sid = '' } = {}] = await app.sessionsStore.live(user.id)
  const list = async () => (await browser.get(PATH)).json().applications
  return { app, owner, user, browser, sid, list }
}

t.test('GET /api/auth/applications: those that are allowed something, and those with a live grant (200)', async t => {
  const { owner, user, sid, list } = await signedIn(t)
  t.strictSame(await list(), [])
  const allowed = await addApplication(owner, 'Zoo')
  await allowApplication(owner, user.id, allowed)
  const holding = await addApplication(owner, 'album', 'com.example.album:/callback')
  await addGrant(owner, user.id, holding, sid, ['openid'])
  const offline = await addOfflineSession(owner, user.id, holding)
  await addGrant(owner, user.id, holding, offline, ['openid', 'offline_access'])
  const other = await createUser(owner)
  await allowApplication(owner, other.id, await addApplication(owner, 'of another user'))

  const applications = await list()
  t.match(applications, [{
    id: holding,
    name: 'album',
    host: 'com.example.album',
    scopes: ['offline_access', 'openid'],
    connectedAt: /Z$/,
    lastUsedAt: /Z$/,
    offline: true,
  }, {
    id: allowed,
    name: 'Zoo',
    host: 'album.example',
    scopes: ['email', 'openid'],
    connectedAt: /Z$/,
    lastUsedAt: null,
    offline: false,
  }])
  t.equal(applications.length, 2)
})

t.test('GET /api/auth/applications: a grant that has ended, or whose session has, is none', async t => {
  const { owner, user, sid, list } = await signedIn(t)
  const application = await addApplication(owner, 'Album')
  const grant = await addGrant(owner, user.id, application, sid)
  t.equal((await list()).length, 1)
  await owner.query('UPDATE application_grants SET ended_at = now() WHERE id = $1', [grant])
  t.strictSame(await list(), [])
  const session = await addOfflineSession(owner, user.id, application)
  await addGrant(owner, user.id, application, session)
  t.equal((await list()).length, 1)
  await owner.query("UPDATE refresh_tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [session])
  t.strictSame(await list(), [])
  await allowApplication(owner, user.id, application)
  t.match(await list(), [{ lastUsedAt: /Z$/ }], 'the last use is known from what has ended')
})

t.test('DELETE /api/auth/applications/:id: consent, grants and sessions end (204), again (404)', async t => {
  const { app, owner, user, browser, sid, list } = await signedIn(t)
  const [application, kept] = [await addApplication(owner, 'Album'), await addApplication(owner, 'Zoo')]
  const other = await createUser(owner)
  for (const id of [application, kept]) {
    for (const userId of [user.id, other.id]) await allowApplication(owner, userId, id)
    await addGrant(owner, user.id, id, sid)
  }
  const [session, keptSession] = [
    await addOfflineSession(owner, user.id, application), await addOfflineSession(owner, user.id, kept),
  ]
  const ofOther = await addGrant(owner, other.id, application, await addOfflineSession(owner, other.id, application))
  await addGrant(owner, user.id, application, session)

  t.equal((await browser.send('DELETE', `${PATH}/${application}`)).statusCode, 403, 'without a CSRF token')
  t.equal((await list()).length, 2)
  t.equal((await browser.guarded('DELETE', `${PATH}/${application}`)).statusCode, 204)
  t.match(await list(), [{ id: kept }])
  t.equal((await list()).length, 1)
  const { rows: live } = await owner.query(`
    SELECT user_id, application_id FROM application_grants WHERE ended_at IS NULL ORDER BY created_at`)
  t.strictSame(live, [
    { user_id: user.id, application_id: kept },
    { user_id: other.id, application_id: application },
  ])
  t.ok(ofOther)
  const sessions = (await app.sessionsStore.live(user.id)).map(({ id }) => id)
  t.strictSame(sessions.sort(), [sid, keptSession].sort(), 'the browser and the other application stay signed in')
  t.notOk(sessions.includes(session))
  t.equal((await owner.query('SELECT FROM application_consents WHERE user_id = $1', [other.id])).rowCount, 2)
  const { rows: events } = await owner.query(
    "SELECT user_id, subject FROM auth_events WHERE what = 'application_disconnected'")
  t.strictSame(events, [{ user_id: user.id, subject: application }])
  t.equal((await browser.guarded('DELETE', `${PATH}/${application}`)).statusCode, 404)
})

t.test('DELETE /api/auth/applications/:id: unknown (404), not an id (400), signed out (401)', async t => {
  const { app, owner, browser } = await signedIn(t)
  const application = await addApplication(owner, 'Album')
  await allowApplication(owner, (await createUser(owner)).id, application)
  for (const id of [application, randomUUID()]) {
    t.equal((await browser.guarded('DELETE', `${PATH}/${id}`)).statusCode, 404)
  }
  t.equal((await browser.guarded('DELETE', `${PATH}/x`)).statusCode, 400)
  t.equal((await owner.query('SELECT FROM application_consents')).rowCount, 1)
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'application_disconnected'")).rowCount, 0)
  for (const method of ['GET', 'DELETE'] as const) {
    const { statusCode } = await createBrowser(app).send(method, method === 'GET' ? PATH : `${PATH}/${application}`)
    t.equal(statusCode, 401)
  }
})

t.test('DELETE /api/auth/applications/:id: an ended session disconnects nothing (401)', async t => {
  const { owner, user, browser, sid } = await signedIn(t)
  const application = await addApplication(owner, 'Album')
  await allowApplication(owner, user.id, application)
  await browser.guarded('DELETE', `${PATH}/${randomUUID()}`)
  // As in the moment before the instance knows that the session has ended.
  await owner.query('ALTER TABLE refresh_tokens DISABLE TRIGGER USER')
  await owner.query('UPDATE refresh_tokens SET revoked_at = now() WHERE id = $1', [sid])
  await owner.query('ALTER TABLE refresh_tokens ENABLE TRIGGER USER')
  t.equal((await browser.guarded('DELETE', `${PATH}/${application}`)).statusCode, 401)
  t.equal((await owner.query('SELECT FROM application_consents')).rowCount, 1)
})
