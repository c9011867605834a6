import t, { type Test } from 'tap'
import { addApplication, addOfflineSession } from '../support/applications.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { secrets } from '../support/build.ts'
import { buildOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { addTotp } from '../support/second-factor.ts'
import { startSmtp } from '../support/smtp.ts'

const ADA = { username: 'ada', email: 'ada@example.com', name: 'Ada Lovelace' }

const smtp = await startSmtp(t)
const service = await buildOperator(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })

/** The service, without the accounts, events and mails of the other tests. */
function setUp (t: Test) {
  t.teardown(async () => {
    await service.owner.query('DELETE FROM auth_events; DELETE FROM users')
    smtp.forget()
  })
  return service
}

t.test('POST /users: creates an account and invites its owner, who chooses a password (201)', async t => {
  const { app, api, owner } = setUp(t)
  const created = await api('POST', '/users', ADA)
  t.match(created, { statusCode: 201 })
  const { user } = created.json()
  t.match(user, { ...ADA, id: /^\d+$/, emailVerifiedAt: null, disabledAt: null })

  const mail = await eventually(() => smtp.mails.find(({ reader }) => reader === ADA.email), Boolean)
  t.match(mail, { subject: 'Your invitation to Gatehouse', text: /expires after seven days/ })
  const { rows } = await owner.query("SELECT expires_at > now() + interval '6 days' AS long FROM one_time_tokens")
  t.strictSame(rows, [{ long: true }])
  const browser = createBrowser(app)
  const payload = { token: mail?.token, password: PASSWORD }
  t.equal((await browser.post('/reset-password/confirm', payload)).statusCode, 204)
  t.equal((await browser.signIn(ADA.username)).statusCode, 200)

  const seen = (await api('GET', `/users/${user.id}`)).json()
  t.match(seen, {
    user: { ...ADA, emailVerifiedAt: String },
    sessions: [{ id: String, device: String, lastUsedAt: String }],
    factors: { hasPassword: true, passkeys: 0, totp: false, recoveryCodesLeft: 0 },
    providers: [],
  })
  t.strictSame(
    seen.events.map(({ what, by }: { what: string, by: string }) => [what, by]),
    [['sign_in', null], ['password_reset', null], ['email_verified', null], ['registered', 'key test']]
  )
})

t.test('POST /users: an external id belongs to one account (409)', async t => {
  const { api } = setUp(t)
  const created = await api('POST', '/users', { ...ADA, externalId: 'customer-1815' })
  t.match(created.json(), { user: { externalId: 'customer-1815' } })
  const { id } = created.json().user
  t.match((await api('GET', `/users/${id}`)).json(), { user: { externalId: 'customer-1815' } })
  const other = { username: 'bea', email: 'bea@example.com' }
  t.match(await api('POST', '/users', { ...other, externalId: 'customer-1815' }), {
    statusCode: 409, body: /This external id is taken/,
  })
  for (const externalId of ['', 'a\nb', 'x'.repeat(256), 7, null]) {
    t.equal((await api('POST', '/users', { ...other, externalId })).statusCode, 400, String(externalId))
  }
  t.match((await api('POST', '/users', other)).json(), { user: { externalId: null } })
  const atOnce = await Promise.all(['dan', 'eve', 'fay'].map(username =>
    api('POST', '/users', { username, email: `${username}@example.com`, externalId: 'customer-2' })))
  t.strictSame(atOnce.map(({ statusCode }) => statusCode).sort(), [201, 409, 409])
  t.equal((await api('POST', '/users', { username: 'cyd', email: 'cyd@example.com' })).statusCode, 201, 'none twice')
})

t.test('GET /users/:id: a session of an application has its name (200)', async t => {
  const { api, owner } = setUp(t)
  const { id } = await createUser(owner)
  const application = await addApplication(owner, 'Photo Album')
  await addOfflineSession(owner, id, application)
  t.match((await api('GET', `/users/${id}`)).json(), {
    sessions: [{ device: 'Photo Album', application: { id: application, name: 'Photo Album' } }],
  })
})

t.test('POST /users: a taken name (409), bad fields (400)', async t => {
  const { api, owner } = setUp(t)
  await createUser(owner, { username: 'ada', email: 'other@example.com' })
  t.match((await api('POST', '/users', ADA)).json(), { error: 'Conflict', message: 'This username is taken.' })
  for (const body of [{}, { ...ADA, username: '<b>' }, { ...ADA, email: 'x' }, { ...ADA, admin: true }]) {
    t.equal((await api('POST', '/users', body)).statusCode, 400)
  }
})

t.test('actions on an account: done once, and recorded with the name of the key (200)', async t => {
  const { app, api, owner } = setUp(t)
  const user = await createUser(owner, { email_verified_at: null })
  await addTotp(owner, user.id)
  const act = async (action: string) => (await api('POST', `/users/${user.id}/${action}`)).json().changed
  t.equal(await act('verify-email'), true)
  t.equal(await act('verify-email'), false)
  t.equal(await act('reset-factors'), true)
  t.equal(await act('reset-factors'), false)
  const browser = createBrowser(app)
  t.equal((await browser.signIn(user.username)).statusCode, 200)
  t.equal((await api('GET', `/users/${user.id}`)).json().sessions.length, 1)
  t.equal(await act('end-sessions'), true)
  t.equal((await api('GET', `/users/${user.id}`)).json().sessions.length, 0)
  t.equal(await act('send-reset-mail'), true)
  const mail = await eventually(() => smtp.mails.find(({ token }) => token), Boolean)
  secrets.add(mail?.token as string)
  t.equal(await act('expire-password'), true)
  t.equal(await act('expire-password'), false)
  t.match((await api('GET', `/users/${user.id}`)).json().factors, { hasPassword: false })
  t.equal((await browser.signIn(user.username)).statusCode, 401)
  t.equal(await act('disable'), true)
  t.equal(await act('disable'), false)
  t.equal((await api('POST', `/users/${user.id}/send-reset-mail`)).statusCode, 409, 'no mail would be sent')
  t.equal(await act('enable'), true)
  const { events } = (await api('GET', `/events?user=${user.id}`)).json()
  const byKey = events.filter(({ by }: { by: string | null }) => by === 'key test')
  t.strictSame(byKey.map(({ what }: { what: string }) => what).reverse(), [
    'email_verified', 'factors_reset', 'all_sessions_ended', 'password_reset_requested', 'password_expired',
    'account_disabled', 'account_enabled',
  ])
})

t.test('DELETE /users/:id: deleted with all data, and recorded with its id (204)', async t => {
  const { api, owner } = setUp(t)
  const { id } = await createUser(owner)
  t.equal((await api('DELETE', `/users/${id}`)).statusCode, 204)
  t.equal((await api('DELETE', `/users/${id}`)).statusCode, 404)
  t.equal((await api('GET', `/users/${id}`)).statusCode, 404)
  t.equal((await api('POST', `/users/${id}/disable`)).statusCode, 404)
  const { events } = (await api('GET', '/events')).json()
  t.match(events, [{ what: 'account_deleted', userId: id, username: null, by: 'key test' }])
  for (const bad of ['x', '1%27%20OR%201=1', '-1', '9'.repeat(19)]) {
    t.equal((await api('GET', `/users/${bad}`)).statusCode, 400, bad)
  }
})

const WAITING = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"

t.test('an account that is deleted while a change of it waits: 404, and no event after the deletion', async t => {
  const { api, owner } = setUp(t)
  const { id } = await createUser(owner)
  const client = await owner.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [id])
  const first = api('DELETE', `/users/${id}`)
  await eventually(() => owner.query(WAITING), ({ rowCount }) => rowCount === 1)
  const later = [
    api('DELETE', `/users/${id}`), api('POST', `/users/${id}/end-sessions`), api('POST', `/users/${id}/verify-email`),
    api('POST', `/users/${id}/send-reset-mail`), api('PATCH', `/users/${id}`, { name: 'Ada' }),
  ]
  await eventually(() => owner.query(WAITING), ({ rowCount }) => rowCount === 6)
  await client.query('COMMIT')
  client.release()
  t.equal((await first).statusCode, 204)
  for (const answer of later) t.equal((await answer).statusCode, 404)
  t.match((await api('GET', '/events')).json().events, { length: 1, 0: { what: 'account_deleted' } })
})
