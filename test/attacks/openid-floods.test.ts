// Rows that an application or a browser could add without end.
import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../support/openid/provider.ts'

t.test('offline access again and again: the browsers stay signed in, and the last 20 of the application', async t => {
  const { addApplication, browse, owner } = await startProvider(t)
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
  const { addApplication, app, browse, owner } = await startProvider(t)
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
  const { addApplication, browse, owner } = await startProvider(t)
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
