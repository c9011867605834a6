import t from 'tap'
import { createBrowser, createUser } from '../../support/browser.ts'
import { setUp, statusOf } from '../../support/cli/users.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

const { app, env, owner, eventsOf } = await setUp()

t.test('restored: sessions, access tokens, links, remembered browsers and keys of before end (0)', async t => {
  const { id, username, email } = await createUser(owner)
  const [stays, unknown] = [createBrowser(app), createBrowser(app)]
  for (const browser of [stays, unknown]) t.equal(await statusOf(browser.signIn(username)), 200)
  // As after a restore: the database knows nothing of this session.
  const [, session = ''] = unknown.cookies.get('refresh_token')?.split('.') ?? []
  const { sid } = JSON.parse(Buffer.from(session, 'base64url').toString())
  await owner.query('ALTER TABLE refresh_tokens DISABLE TRIGGER refresh_tokens_deleted')
  await owner.query('DELETE FROM refresh_tokens WHERE id = $1', [sid])
  await owner.query('ALTER TABLE refresh_tokens ENABLE TRIGGER refresh_tokens_deleted')
  await owner.query('UPDATE users SET factors_version = 1 WHERE id = $1', [id])
  t.equal(await statusOf(createBrowser(app).post('/reset-password', { email })), 202)
  const count = async (table: string) => (await owner.query(`SELECT FROM ${table}`)).rowCount
  await eventually(() => count('one_time_tokens'), links => links === 1, 5_000)
  await app.inject('/.well-known/jwks.json')
  t.equal(await count('signing_keys'), 1)
  for (const browser of [stays, unknown]) t.equal(await statusOf(browser.get('/api/auth/me')), 200)

  const { code, stdout } = await gatehouse(['restored'], env).ended
  t.equal(code, 0)
  t.match(stdout, /^All sessions have ended.* Accounts that were signed in: 1\.\n$/)
  for (const browser of [stays, unknown]) {
    await eventually(() => statusOf(browser.get('/api/auth/me')), status => status === 401, 5_000)
    t.equal(await statusOf(browser.refresh()), 401)
  }
  for (const table of ['refresh_tokens', 'one_time_tokens', 'signing_keys']) t.equal(await count(table), 0, table)
  t.equal((await owner.query('SELECT factors_version FROM users')).rows[0].factors_version, 2)
  t.strictSame(await eventsOf(id), ['all_sessions_ended'])
  const { rows: readers } = await owner.query(`SELECT DISTINCT catching_up AND restored_id = (
    SELECT max(id) FROM auth_events WHERE what <> 'all_sessions_ended') AS continued FROM event_readers`)
  t.strictSame(readers, [{ continued: true }], 'readers of events go on after the last one of the backup')

  await eventually(
    async () => {
      await createBrowser(app).signIn(username)
      const again = createBrowser(app)
      await again.signIn(username)
      return statusOf(again.get('/api/auth/me'))
    },
    status => status === 200,
    5_000
  )
})

t.test('restored: without the role that owns the tables nothing changes (1)', async t => {
  const { username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  const { code } = await gatehouse(['restored'], { ...env, MIGRATION_DATABASE_URL: env.DATABASE_URL as string }).ended
  t.equal(code, 1)
  t.equal(await statusOf(browser.refresh()), 200)
})
