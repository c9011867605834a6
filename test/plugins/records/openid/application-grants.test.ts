import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import type { Queryable } from '../../../../plugins/infrastructure/database.ts'
import { createUser, PASSWORD } from '../../../support/browser.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../../../support/openid/provider.ts'
import { eventually } from '../../../support/patience.ts'

// Changes at the same time. One of them holds its locks until the other waits for them.

const provider = await startProvider(t)
const { app, owner, browse } = provider
const application = await provider.addApplication()
const OFFLINE = 'openid offline_access'

async function signedIn () {
  const browser = browse()
  const user = await createUser(owner)
  await browser.signIn(user.username)
  const { rows: [session] } = await owner.query<{ id: string }>(
    'SELECT id FROM refresh_tokens WHERE user_id = $1', [user.id])
  if (!session) throw new Error('no session')
  return { browser, user, session: session.id }
}

/** A code that was not exchanged yet. */
async function authorized (person: Awaited<ReturnType<typeof signedIn>>) {
  const { path, checks } = await beginSignIn(application, { scope: OFFLINE })
  const { location } = await follow(person.browser, path)
  const { rows: [grant] } = await owner.query<{ id: string }>(
    'SELECT id FROM application_grants WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1', [person.user.id])
  if (!location || !grant) throw new Error('no code')
  return { grant: grant.id, exchange: () => client.authorizationCodeGrant(application.relyingParty, location, checks) }
}

/** A transaction of the service. */
async function begin (t: Test) {
  const opened = Promise.withResolvers<Queryable>()
  const committed = Promise.withResolvers<void>()
  t.teardown(() => committed.resolve())
  const done = app.database.transact(async client => {
    opened.resolve(client)
    await committed.promise
  })
  return { client: await opened.promise, commit: () => { committed.resolve(); return done } }
}

/** Until a statement waits for the locks of another transaction, or `work` is done. */
async function untilWaiting (work: Promise<unknown>) {
  let isDone = false
  work.then(() => { isDone = true }, () => { isDone = true })
  const count = async () => (await owner.query(`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).rowCount
  await eventually(count, waiting => waiting !== 0 || isDone)
}

async function replaceSession (client: Queryable, { user, session }: Awaited<ReturnType<typeof signedIn>>) {
  const successor = app.sessionTokens.first(user.id)
  const refreshToken = app.sessionTokens.sign(successor, user.username)
  const proof = { amr: ['pwd' as const], authTime: successor.issuedAt }
  await app.sessionReplacements.replace(client, session, successor, { refreshToken, proof })
}

const liveSessions = async (userId: string) => (await owner.query(`
  SELECT FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()`, [userId])).rowCount

t.test('offline access that begins while the password is reset ends with the other sessions', async t => {
  const person = await signedIn()
  const { grant } = await authorized(person)
  const offline = { id: randomUUID(), token: randomBytes(32), expiresAt: Math.floor(Date.now() / 1_000) + 3_600 }
  const { client, commit } = await begin(t)
  await app.applicationRefreshes.start(client, grant, {}, offline)
  const token = await app.oneTimeTokens.issue(person.user.id, 'reset')
  const reset = browse().post('/reset-password/confirm', { token, password: 'br4nd-New-kettle!' })
  await untilWaiting(reset)
  await commit()
  t.equal((await reset).statusCode, 204)
  t.equal(await liveSessions(person.user.id), 0)
  t.equal(await app.applicationGrants.find(grant), undefined)
})

t.test('offline access that begins while a new proof replaces the session: both succeed', async t => {
  const person = await signedIn()
  const { exchange } = await authorized(person)
  const transaction = await begin(t)
  await app.sessionReplacements.lock(transaction.client, person.user.id, person.session)
  const exchanging = exchange()
  await untilWaiting(exchanging)
  await replaceSession(transaction.client, person)
  await transaction.commit()
  const { refresh_token: token = '' } = await exchanging
  t.ok((await client.refreshTokenGrant(application.relyingParty, token)).access_token)
  t.equal(await liveSessions(person.user.id), 2)
})

t.test('a session that is being replaced gets no code, which would be void', async t => {
  const person = await signedIn()
  const { path } = await beginSignIn(application)
  const { client, commit } = await begin(t)
  await app.sessionReplacements.lock(client, person.user.id, person.session)
  await replaceSession(client, person)
  const authorizing = person.browser.get(path)
  await untilWaiting(authorizing)
  await commit()
  t.equal((await authorizing).statusCode, 401)
})

t.test('a grant that begins while a new proof replaces the session moves along', async t => {
  const { browser, session } = await signedIn()
  const grant = {
    id: randomUUID(),
    applicationId: application.id,
    sessionId: session,
    sid: randomUUID(),
    scopes: ['openid'],
    allowed: {},
  }
  const { client, commit } = await begin(t)
  const code = { payload: {}, lifetime: 60 }
  t.ok(await app.openidArtifacts.saveWithGrant(client, 'AuthorizationCode', randomUUID(), code, grant))
  const proving = browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })
  await untilWaiting(proving)
  await commit()
  t.equal((await proving).statusCode, 204)
  t.match(await app.applicationGrants.find(grant.id), { grantId: grant.id })
})

t.test('an account keeps at most 100 sessions, those of applications included', async t => {
  const person = await signedIn()
  await owner.query(`
    INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at, issued_at)
    SELECT gen_random_uuid(), $1, sha256(i::text::bytea), now() + interval '1 day', now(), now() - interval '1 hour'
    FROM generate_series(1, 97) i`, [person.user.id])
  const codes = []
  for (let i = 0; i < 4; i++) codes.push(await authorized(person))
  const tokens = await Promise.all([
    ...codes.map(({ exchange }) => exchange()),
    ...Array.from({ length: 4 }, () => browse().signIn(person.user.username).then(() => undefined)),
  ])
  t.equal(await liveSessions(person.user.id), 100)
  for (const issued of tokens) {
    if (!issued) continue
    t.ok((await client.refreshTokenGrant(application.relyingParty, issued.refresh_token ?? '')).refresh_token)
  }
})

t.test('an application that is removed during a request: no error of the service', async t => {
  const removed = await provider.addApplication()
  const { browser } = await signedIn()
  const { refresh_token: token = '' } = await signInTo(removed, browser)
  const { path } = await beginSignIn(removed)
  const { client: connection, commit } = await begin(t)
  await connection.query('DELETE FROM applications WHERE id = $1', [removed.id])
  const refreshing = fetch(`${provider.issuer}/oidc/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${removed.id}:${removed.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }),
  })
  await untilWaiting(refreshing)
  const authorizing = browser.get(path)
  await sleep(50)
  await commit()
  t.equal((await refreshing).status, 200, 'with a token that is void')
  t.equal((await authorizing).statusCode, 401)
})

t.test('introspection while many applications are asked for that do not exist: the token is active', async t => {
  const { access_token: token } = await signInTo(application, (await signedIn()).browser)
  const askForUnknown = (length: number) =>
    Promise.all(Array.from({ length }, () => app.findApplication(randomUUID())))
  await askForUnknown(50)
  // Longer than an application is cached: it is read after these.
  await sleep(1_100)
  const lock = await owner.connect()
  t.teardown(() => lock.release(true))
  await lock.query('BEGIN; LOCK TABLE openid_artifacts')
  const introspecting = client.tokenIntrospection(application.relyingParty, token)
  await untilWaiting(introspecting)
  await askForUnknown(970)
  await lock.query('COMMIT')
  t.ok((await introspecting).active)
})

t.test('introspection while the application is read again: the token is active', async t => {
  const { access_token: token } = await signInTo(application, (await signedIn()).browser)
  const introspect = () => client.tokenIntrospection(application.relyingParty, token)
  await introspect()
  const [artifacts, applications] = [await owner.connect(), await owner.connect()]
  t.teardown(() => [artifacts, applications].forEach(each => each.release(true)))
  await artifacts.query('BEGIN; LOCK TABLE openid_artifacts')
  const first = introspect()
  await untilWaiting(first)
  // Longer than an application is cached.
  await sleep(1_100)
  await applications.query('BEGIN; LOCK TABLE applications')
  const second = introspect()
  await eventually(async () => (await artifacts.query(`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).rowCount,
  waiting => waiting === 2)
  await artifacts.query('COMMIT')
  t.ok((await first).active)
  await applications.query('COMMIT')
  t.ok((await second).active)
})
