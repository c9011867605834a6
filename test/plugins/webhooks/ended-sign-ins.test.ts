// Every way of ending a session tells the applications, once, and a session that goes on tells them nothing.
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { addApplication, addGrant, sessionOf } from '../../support/openid/logouts.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { buildShared, secrets, type pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

const SETTINGS = { ...NO_LIMITS, OPENID: 'on', EMAIL_VERIFICATION: 'off', WEBHOOK_PRIVATE: 'allow' }
const NEW_PASSWORD = 'an0ther-Harbour-lamp!'
secrets.add(NEW_PASSWORD)

async function setUp (t: Test) {
  const { app, owner } = await buildShared(t, { settings: SETTINGS })
  t.teardown(() => owner.query('DELETE FROM applications; DELETE FROM webhooks; DELETE FROM revocations'))
  // Nothing is sent: the deliveries are counted. One application has no endpoint; another is only there for `logouts`.
  const [wiki, shop, mark] = [
    await addApplication(app, 'http://127.0.0.1:9/wiki'), await addApplication(app, 'http://127.0.0.1:9/shop'),
    await addApplication(app, 'http://127.0.0.1:9/mark'),
  ] as const
  const silent = await addApplication(app)
  await app.webhooks.add({ url: 'http://127.0.0.1:9/all', events: ['*'] })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)

  /** The logouts of all transactions until now, as `application sid`. */
  async function logouts (): Promise<string[]> {
    const last = randomUUID()
    await addLiveSession(owner, (await createUser(owner)).id, last)
    await addGrant(owner, mark.id, last)
    await owner.query('UPDATE refresh_tokens SET revoked_at = now() WHERE id = $1', [last])
    const found = await eventually(async () => {
      await app.announceEvents()
      const { rows } = await owner.query(`
        SELECT w.application_id || ' ' || (d.data->>'sid') AS logout, d.account_id AS "accountId"
        FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE type = 'openid.logout'`)
      return rows
    }, rows => rows.some(({ logout }) => logout === `${mark.id} ${last}`))
    const others = found.filter(({ logout }) => !logout.startsWith(mark.id))
    t.ok(others.every(({ accountId }) => accountId === user.id), 'about this account')
    return others.map(({ logout }) => logout).toSorted()
  }
  return { app, owner, wiki, shop, silent, user, browser, logouts }
}

type Service = Awaited<ReturnType<typeof setUp>>

async function addLiveSession (owner: pg.Pool, userId: string, id: string) {
  await owner.query(`
    INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at)
    VALUES ($1, $2, '', now() + interval '1 minute', now() + interval '1 day', now())`, [id, userId])
}

/** Another device of the user. */
async function otherDevice ({ app, user }: Service): Promise<Browser> {
  const device = createBrowser(app)
  await device.signIn(user.username)
  return device
}

const account = async ({ app, user }: Service) => await app.users.findById(user.id) as never

/** Each ends the session of `browser`. */
const WAYS: Record<string, (service: Service) => Promise<unknown>> = {
  'sign-out': ({ browser }) => browser.post('/logout'),
  'another sign-in in the same browser': ({ browser, user }) => browser.signIn(user.username),
  'the owner ends it': async service =>
    (await otherDevice(service)).guarded('DELETE', `/api/auth/sessions/${sessionOf(service.browser)}`),
  'the owner ends all others': async service =>
    (await otherDevice(service)).guarded('DELETE', '/api/auth/sessions'),
  'a new password, from another device': async service =>
    (await otherDevice(service)).guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD }),
  'a password reset': async ({ app, user }) => {
    const token = await app.oneTimeTokens.issue(user.id, 'reset')
    secrets.add(token)
    return createBrowser(app).post('/reset-password/confirm', { token, password: NEW_PASSWORD })
  },
  'the owner deletes the account': ({ browser }) =>
    browser.guarded('DELETE', '/api/auth/me', { password: PASSWORD }),
  'an operator disables the account': async service => service.app.administration.disable(await account(service)),
  'an operator ends the sessions': async service => service.app.administration.endSessions(await account(service)),
  'an operator expires the password': async service =>
    service.app.administration.expirePassword(await account(service)),
  'an operator deletes the account': async service => service.app.administration.remove(await account(service)),
  'the limit of sessions': async service => {
    for (let n = 0; n < 99; n++) await addLiveSession(service.owner, service.user.id, randomUUID())
    return otherDevice(service)
  },
  'the reuse of a refresh token': async ({ app, browser }) => {
    const copy = createBrowser(app)
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    for (let n = 0; n < 2; n++) await browser.refresh()
    return copy.refresh()
  },
}

for (const [way, end] of Object.entries(WAYS)) {
  t.test(`ended sign-ins: ${way}: one logout for each application`, async t => {
    const service = await setUp(t)
    const { owner, wiki, shop, silent, browser, logouts } = service
    const [session, sid] = [sessionOf(browser), randomUUID()]
    for (const { id } of [wiki, wiki, shop, silent]) await addGrant(owner, id, session, { sid })
    const { rows: [grant] } = await owner.query(
      'SELECT id FROM application_grants WHERE application_id = $1 LIMIT 1', [wiki.id])
    await owner.query('UPDATE application_grants SET ended_at = now() WHERE id = $1', [grant.id])
    t.strictSame(await logouts(), [])
    await end(service)
    const expected = [wiki, shop].map(({ id }) => `${id} ${sid}`).toSorted()
    t.strictSame(await logouts(), expected)
    await owner.query("UPDATE event_readers SET from_xid = '0', until_xid = '0', last_id = 0 WHERE name = 'webhooks'")
    t.strictSame(await logouts(), expected, 'not again, even if all is read once more')
  })
}

const ONE_SESSION = [
  'sign-out', 'another sign-in in the same browser', 'the owner ends it', 'the reuse of a refresh token',
]

for (const [way, end] of Object.entries(WAYS)) {
  t.test(`offline access: ${way}`, async t => {
    const service = await setUp(t)
    const { owner, wiki, user } = service
    const offline = randomUUID()
    await addLiveSession(owner, user.id, offline)
    await owner.query(`UPDATE refresh_tokens SET application_id = $2, issued_at = now() - interval '1 day'
      WHERE id = $1`, [offline, wiki.id])
    await end(service)
    const { rowCount } = await owner.query('SELECT FROM refresh_tokens WHERE id = $1 AND revoked_at IS NULL', [offline])
    t.equal(rowCount, ONE_SESSION.includes(way) ? 1 : 0, 'ends like the session of any other device')
  })
}

t.test('ended sign-ins: after a proof of identity they go on, until the last session ends', async t => {
  const { owner, wiki, user, browser, logouts } = await setUp(t)
  const [first, offline] = [sessionOf(browser), randomUUID()]
  await addLiveSession(owner, user.id, offline)
  await addGrant(owner, wiki.id, first)
  await addGrant(owner, wiki.id, first, { offline })
  for (let n = 0; n < 2; n++) {
    const proof = await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })
    t.equal(proof.statusCode, 204)
    const now = sessionOf(browser)
    t.not(now, first)
    const { rows } = await owner.query(
      'SELECT session_id, signed_in_from, sid FROM application_grants WHERE user_id = $1', [user.id])
    t.strictSame(new Set(rows.map(row => row.session_id)), new Set([now, offline]), 'that of its own stays')
    for (const row of rows) t.match(row, { signed_in_from: now, sid: first })
    t.match((await owner.query('SELECT first_id FROM refresh_tokens WHERE id = $1', [now])).rows, [{ first_id: first }])
    t.strictSame(await logouts(), [])
  }
  const before = sessionOf(browser)
  await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })
  // A grant that came too late to be moved.
  await addGrant(owner, wiki.id, before, { sid: first })
  t.strictSame(await logouts(), [])
  await browser.post('/logout')
  t.strictSame(await logouts(), [`${wiki.id} ${first}`])
  const { rows } = await owner.query('SELECT revoked_at FROM refresh_tokens WHERE id = $1', [offline])
  t.strictSame(rows, [{ revoked_at: null }], 'offline access goes on')
})

t.test('ended sign-ins: the device that changes the password stays signed in at its applications', async t => {
  const { owner, wiki, browser, logouts } = await setUp(t)
  await addGrant(owner, wiki.id, sessionOf(browser))
  const changed = await browser.guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })
  t.equal(changed.statusCode, 204)
  t.strictSame(await logouts(), [])
})

t.test('ended sign-ins: the end of offline access alone tells nobody', async t => {
  const { owner, wiki, user, browser, logouts } = await setUp(t)
  const offline = randomUUID()
  await addLiveSession(owner, user.id, offline)
  await addGrant(owner, wiki.id, sessionOf(browser), { offline })
  t.equal((await browser.guarded('DELETE', `/api/auth/sessions/${offline}`)).statusCode, 204)
  t.strictSame(await logouts(), [])
})

t.test('ended sign-ins: webhooks for all events get no logout', async t => {
  const { owner, wiki, browser, logouts } = await setUp(t)
  await addGrant(owner, wiki.id, sessionOf(browser))
  await browser.post('/logout')
  t.equal((await logouts()).length, 1)
  const { rows } = await owner.query(`
    SELECT DISTINCT w.application_id IS NULL AS "isWebhook", d.type = 'openid.logout' AS "isLogout"
    FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id`)
  t.ok(rows.length === 2 && rows.every(({ isWebhook, isLogout }) => isWebhook !== isLogout))
})
