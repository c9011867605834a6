import { randomUUID } from 'node:crypto'
import t from 'tap'
import { buildOperatorApp } from '../../../src/operator-app.ts'
import { addApplication, addGrant, sessionOf } from '../../support/openid/logouts.ts'
import { createBrowser, createUser, PASSWORD } from '../../support/browser.ts'
import { secrets } from '../../support/build.ts'
import { runCommand, runWith } from '../../support/cli/in-process.ts'
import { setUp, statusOf } from '../../support/cli/users.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'
import { addTotp } from '../../support/second-factor.ts'

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
  await eventually(() => count('one_time_tokens'), links => links === 1)
  await app.inject('/.well-known/jwks.json')
  t.equal(await count('signing_keys'), 1)
  for (const browser of [stays, unknown]) t.equal(await statusOf(browser.get('/api/auth/me')), 200)

  await owner.query(`INSERT INTO mail_codes (asked_by, email, purpose, expires_at)
    VALUES ('a browser', $1, 'sign-in', now() + interval '1 minute')`, [email])

  const { code, stdout } = await gatehouse(['restored'], env).ended
  t.equal(code, 0)
  t.match(stdout, /^All sessions have ended.* Accounts that were signed in: 1\.\n$/)
  for (const browser of [stays, unknown]) {
    await eventually(() => statusOf(browser.get('/api/auth/me')), status => status === 401)
    t.equal(await statusOf(browser.refresh()), 401)
  }
  for (const table of ['refresh_tokens', 'one_time_tokens', 'mail_codes', 'signing_keys']) {
    t.equal(await count(table), 0, table)
  }
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
    status => status === 200
  )
})

t.test('restored: what applications got is void, and their endpoints wait to be confirmed (0)', async t => {
  t.teardown(() => owner.query('DELETE FROM applications'))
  const { id } = await addApplication(app, 'https://wiki.example.com/logout')
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  const grant = await addGrant(owner, id, sessionOf(browser))
  await owner.query(`INSERT INTO openid_artifacts (id, kind, grant_id, payload, expires_at)
    VALUES ('code', 'AuthorizationCode', $1, '{}', now() + interval '1 minute'),
      ('par', 'PushedAuthorizationRequest', NULL, '{}', now() + interval '1 minute')`, [grant])
  await owner.query("INSERT INTO retired_signing_keys VALUES ('old', '{}', now() + interval '1 day')")
  const { code, stdout } = await runWith(env, ['restored'])
  t.equal(code, 0)
  t.match(stdout, /\nwebhook +\S{36} +https:\/\/wiki\.example\.com\/logout of application Wiki\n/)
  for (const table of ['application_grants', 'openid_artifacts', 'retired_signing_keys']) {
    t.equal((await owner.query(`SELECT FROM ${table}`)).rowCount, 0, table)
  }
  t.equal((await owner.query('SELECT FROM applications')).rowCount, 1)
  t.match(await runCommand(app, ['restored', 'confirm', 'all']), { code: 0, stdout: /^Confirmed: webhook/m })
  t.match(await app.webhooks.list(), [{ pausedAt: null }])
})

t.test('restored: without the role that owns the tables nothing changes (1)', async t => {
  const { username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  const { code } = await runWith({ ...env, MIGRATION_DATABASE_URL: env.DATABASE_URL }, ['restored'])
  t.equal(code, 1)
  t.equal(await statusOf(browser.refresh()), 200)
})

const API = '/operator/api/v1'

t.test('restored: applications of the backup are refused until confirmed, and their tokens are void (0)', async t => {
  const here = (...args: string[]) => runCommand(app, args)
  const add = async (name: string) => {
    const { id, secret = '' } = await app.manageApplications.add({ kind: 'machine', name })
    secrets.add(secret)
    return id
  }
  const [wiki, leaked, report] = [await add('Wiki'), await add('Leaked'), await add('Report')]
  await owner.query(`INSERT INTO openid_artifacts (id, kind, payload, expires_at)
    VALUES ('token', 'ClientCredentials', '{}', now() + interval '1 hour')`)
  t.ok(await app.applications.find(wiki))
  const agent = randomUUID()
  await owner.query(`INSERT INTO applications (id, name, kind, registration)
    VALUES ($1, 'Agent', 'public', 'dynamic')`, [agent])

  t.match(await runWith(env, ['restored']), { code: 0, stdout: new RegExp(`^app +${wiki} +Wiki$`, 'm') })
  t.equal((await owner.query('SELECT FROM openid_artifacts')).rowCount, 0)
  t.equal(await app.applications.findInUse(agent), undefined, 'one that registered itself does so again')
  for (const id of [wiki, leaked, report]) t.equal(await app.applications.find(id), undefined, 'refused')
  t.match((await here('app', 'list')).stdout, `${wiki}  Wiki\n  machine, suspended by a restore`)
  t.match((await here('app', 'show', wiki)).stdout, /^state: +suspended by a restore/m)
  t.match(await here('restored', 'confirm', 'app', wiki), { code: 0, stdout: /^Confirmed: app/ })
  t.match(await app.applications.find(wiki), { name: 'Wiki', secrets: { length: 1 } })
  t.equal(await app.applications.find(report), undefined, 'only the one that was named')

  t.match(await here('app', 'remove', leaked), { code: 0 })
  t.match(await here('restored', 'confirm', 'app', leaked), { code: 1, stderr: /does not wait/ })
  t.match(await here('restored', 'confirm', 'all'), { code: 0, stdout: new RegExp(`^Confirmed: app +${report}`) })
  t.ok(await app.applications.find(report))
  const { rows } = await owner.query('SELECT what FROM auth_events WHERE subject = $1 ORDER BY id', [wiki])
  t.strictSame(rows.map(({ what }) => what), ['application_added', 'application_changed', 'application_changed'])
  for (const id of [wiki, report]) await here('app', 'remove', id)
})

t.test('restored: keys, operators and webhooks of the backup wait until each is confirmed (0)', async t => {
  const operator = buildOperatorApp(app)
  await operator.ready()
  t.teardown(() => operator.close())
  const here = (...args: string[]) => runCommand(app, args)
  const values = new Map<string, string>()
  for (const name of ['billing', 'desk', 'leaked']) {
    const value = await app.apiKeys.add(name, ['users:read']) as string
    secrets.add(value)
    values.set(name, value)
  }
  const statusOfKey = (name: string) => statusOf(operator.inject({
    url: `${API}/users`, headers: { authorization: `Bearer ${values.get(name)}` },
  }))
  const [ada, eve] = [await createUser(owner), await createUser(owner)]
  for (const { id } of [ada, eve]) {
    await addTotp(owner, id)
    await app.operators.add(id, 'support')
  }
  const signIn = ({ username }: { username: string }) =>
    createBrowser(operator).post(`${API}/session`, { username, password: PASSWORD })
  const webhook = { url: 'https://app.example.com/hooks', events: ['user.created'] }
  const [first, second, third] = [
    await app.webhooks.add(webhook), await app.webhooks.add(webhook), await app.webhooks.add(webhook),
  ]
  await app.webhooks.pause(third.id)
  const isPaused = async (id: string) => Boolean((await app.webhooks.find(id))?.pausedAt)
  for (const name of values.keys()) t.equal(await statusOfKey(name), 200, name)
  for (const user of [ada, eve]) t.equal(await statusOf(signIn(user)), 202)

  const { code, stdout } = await runWith(env, ['restored', '--json'])
  t.equal(code, 0)
  const waiting = [
    ...[...values.keys()].map(name => `api-key ${name}`),
    ...[ada.email, eve.email].sort().map(email => `operator ${email}`),
    ...[first.id, second.id].sort().map(id => `webhook ${id}`),
  ]
  const namesIn = (output: string) => JSON.parse(output).suspended.map(
    ({ kind, name }: { kind: string, name: string }) => `${kind} ${name}`)
  t.strictSame(namesIn(stdout), waiting)
  t.strictSame(namesIn((await here('restored', 'list', '--json')).stdout), waiting)
  for (const name of values.keys()) t.equal(await statusOfKey(name), 401, name)
  t.match(await signIn(ada), { statusCode: 403, body: /restored from a backup/ })
  t.equal(await isPaused(first.id), true)
  t.match((await here('api-key', 'list')).stdout, /^billing +suspended by a restore/)
  t.match((await here('operator', 'list')).stdout, /suspended by a restore/)
  // As version 0.2 asks.
  t.equal((await owner.query('SELECT FROM api_keys WHERE ended_at IS NULL')).rowCount, 0)
  t.equal((await owner.query('SELECT FROM operators')).rowCount, 0)

  t.match(await here('restored', 'confirm', 'api-key', 'billing'), { code: 0, stdout: /^Confirmed: api-key +billing/ })
  t.match(await here('restored', 'confirm', 'operator', ada.username), { code: 0, stdout: /^Confirmed: operator/ })
  t.match(await here('restored', 'confirm', 'webhook', first.id), { code: 0, stdout: /^Confirmed: webhook/m })
  t.equal(await statusOfKey('billing'), 200)
  t.equal(await statusOfKey('desk'), 401, 'only the one that was named')
  t.equal(await statusOf(signIn(ada)), 202)
  t.equal(await app.operators.roleOf(ada.id), 'support', 'the role of the backup')
  t.equal(await statusOf(signIn(eve)), 403)
  t.strictSame([await isPaused(first.id), await isPaused(second.id)], [false, true])

  t.match(await here('api-key', 'end', 'leaked'), { code: 0 })
  t.match(await here('operator', 'remove', eve.username), { code: 0 })
  t.match(await here('restored', 'confirm', 'api-key', 'leaked'), { code: 1, stderr: /does not wait/ })
  t.match(await here('restored', 'confirm', 'webhook', third.id), { code: 1, stderr: /does not wait/ })
  t.match(await here('restored', 'confirm', 'all'), {
    code: 0, stdout: /^Confirmed: api-key +desk .*\nConfirmed: webhook/,
  })
  t.equal(await statusOfKey('desk'), 200)
  t.equal(await statusOfKey('leaked'), 401, 'ended for good')
  t.equal(await statusOf(signIn(eve)), 403, 'removed for good')
  t.strictSame([await isPaused(second.id), await isPaused(third.id)], [false, true], 'paused before: stays paused')
  t.match(await here('restored', 'list'), { code: 0, stdout: 'Nothing waits to be confirmed.\n' })
  t.match(await here('restored', 'confirm', 'all'), { code: 0, stdout: 'Nothing waits to be confirmed.\n' })
  for (const args of [['all', 'x'], ['key', 'billing'], ['operator'], []]) {
    t.match(await here('restored', 'confirm', ...args), { code: 2 }, args.join(' '))
  }
})

t.test('restored confirm: a key whose name is in use again stays suspended (1)', async t => {
  await app.apiKeys.add('twice', ['users:read'])
  await runWith(env, ['restored'])
  await app.apiKeys.add('twice', ['users:read'])
  t.match(await runCommand(app, ['restored', 'confirm', 'api-key', 'twice']), {
    code: 1, stdout: /^Still suspended, because another one has this name: api-key/,
  })
  t.equal((await owner.query("SELECT FROM api_keys WHERE name = 'twice' AND ended_at IS NULL")).rowCount, 1)
})
