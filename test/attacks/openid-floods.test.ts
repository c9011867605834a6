// Rows that an application or a browser could add without end.
import { randomUUID } from 'node:crypto'
import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { beginSignIn, CALLBACK, follow, signInTo, startProvider } from '../support/openid/provider.ts'

const { addApplication, app, browse, owner } = await startProvider(t)
t.afterEach(() => owner.query('DELETE FROM applications; DELETE FROM users'))

t.test('offline access again and again: the browsers stay signed in, and the last 20 of the application', async t => {
  const user = await createUser(owner)
  const [phone, browser] = [browse(), browse()]
  for (const each of [phone, browser]) await each.signIn(user.username)
  const [application, other] = [await addApplication(), await addApplication()]
  const offline = { scope: 'openid offline_access' }
  await signInTo(other, browser, offline)
  const { rows: [first] } = await owner.query('SELECT id FROM refresh_tokens WHERE application_id = $1', [other.id])
  // Sign-ins before: as many as an account has sessions, each later than the last use of the browsers.
  await owner.query(`
    INSERT INTO refresh_tokens (id, user_id, application_id, token, issued_at, expires_at, signed_in_at)
    SELECT gen_random_uuid(), $1, $2, '', now() + interval '1 second', now() + interval '1 day', now()
    FROM generate_series(1, 97)`, [user.id, application.id])
  for (let times = 0; times < 3; times++) await signInTo(application, browser, offline)
  const { rows } = await owner.query(
    'SELECT id, application_id FROM refresh_tokens WHERE revoked_at IS NULL ORDER BY application_id')
  t.equal(rows.filter(row => row.application_id === application.id).length, 20)
  t.ok(rows.some(({ id }) => id === first.id), 'that of the other application stays')
  for (const each of [phone, browser]) t.equal((await each.refresh()).statusCode, 200)
})

t.test('codes that are never exchanged leave nothing after an hour', async t => {
  const browser = browse()
  await browser.signIn((await createUser(owner)).username)
  const application = await addApplication()
  await signInTo(application, browser)
  for (let times = 0; times < 3; times++) await follow(browser, (await beginSignIn(application)).path)
  const count = async () => (await owner.query('SELECT FROM application_grants')).rowCount
  await app.purge.run()
  t.equal(await count(), 4)
  await owner.query("UPDATE application_grants SET created_at = created_at - interval '61 minutes'")
  await app.purge.run()
  t.equal(await count(), 1, 'what the application holds stays')
})

t.test('sign-ins from one browser again and again: an application holds the last 100', async t => {
  const browser = browse()
  await browser.signIn((await createUser(owner)).username)
  const [application, other] = [await addApplication(), await addApplication()]
  const elsewhere = await signInTo(other, browser)
  const first = await signInTo(application, browser)
  await owner.query(`
    INSERT INTO application_grants
      (id, application_id, user_id, session_id, signed_in_from, sid, scopes, allowed, refresh)
    SELECT gen_random_uuid(), application_id, user_id, session_id, signed_in_from, sid, scopes, allowed, refresh
    FROM application_grants, generate_series(1, 99) WHERE application_id = $1`, [application.id])
  const isActive = async ({ relyingParty }: typeof application, { access_token: token }: typeof first) =>
    (await client.tokenIntrospection(relyingParty, token)).active
  t.ok(await isActive(application, first))
  const last = await signInTo(application, browser)
  const { rowCount } = await owner.query('SELECT FROM application_grants WHERE application_id = $1', [application.id])
  t.equal(rowCount, 100)
  t.notOk(await isActive(application, first), 'the one that was used longest ago has ended')
  t.ok(await isActive(application, last))
  t.ok(await isActive(other, elsewhere))
})

t.test('requests that public applications push, and codes for devices, count as visits of browsers (429)', async t => {
  const { addApplication, issuer, owner } = await startProvider(t, { LIMIT_GENERAL_MAX: '1' })
  const [device, server] = [await addApplication({ kind: 'public', device: true }), await addApplication()]
  const send = async (path: string, { id, secret, kind }: typeof device) => (await fetch(`${issuer}/oidc/${path}`, {
    method: 'POST',
    headers: kind === 'public' ? {} : { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({
      client_id: id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    }),
  }))
  const statuses: number[] = []
  for (let each = 0; each < 20; each++) {
    statuses.push((await send('par', device)).status, (await send('device/auth', device)).status)
  }
  t.strictSame(statuses.slice(0, 30).toSorted(), [...Array(15).fill(200), ...Array(15).fill(201)])
  t.ok(statuses.slice(30).every(status => status === 429))
  t.ok(Number((await send('par', device)).headers.get('retry-after')) > 0)
  const { rows } = await owner.query(
    'SELECT (SELECT count(*) FROM device_codes)::int + (SELECT count(*) FROM openid_artifacts)::int AS stored')
  t.equal(rows[0].stored, 30)
  t.equal((await send('par', server)).status, 201, 'a server, which authenticates, pushes those of many users')
})

t.test('what is known of the use of applications does not grow with their number', async t => {
  const application = await addApplication()
  const use = (clientId: string) => app.applicationUse.note({
    applications: new Map(),
    changes: [],
    ctx: { status: 200, oidc: { route: 'token', entities: { Client: { clientId } } } },
  } as unknown as Parameters<typeof app.applicationUse.note>[0])
  const lastUse = async () => (await owner.query('SELECT last_used_at FROM applications')).rows[0].last_used_at
  await use(application.id)
  t.ok(await lastUse())
  await owner.query('UPDATE applications SET last_used_at = NULL')
  await use(application.id)
  t.notOk(await lastUse(), 'not asked again within a minute')
  for (let each = 0; each < 1_000; each++) await use(randomUUID())
  await use(application.id)
  t.ok(await lastUse(), 'forgotten')
})
