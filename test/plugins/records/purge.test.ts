import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import root, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, buildShared, type pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { shareSmtp } from '../../support/smtp.ts'

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  return { smtp, ...await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } }) }
}

async function addUser (
  owner: pg.Pool,
  username: string,
  { age = '0', verified = false, social = false, signedIn = false } = {}
): Promise<string> {
  const { rows } = await owner.query(
    `INSERT INTO users (email, username, password_hash, provider_a_id, email_verified_at, created_at,
       first_signed_in_at, verification_sent_at)
     VALUES ($1 || '@example.com', $1, $2, $3, $4, now() - $5::interval, $6, now() - $5::interval) RETURNING id`,
    [
      username,
      social ? null : 'hash',
      social ? username : null,
      verified ? new Date() : null,
      age,
      signedIn ? new Date() : null,
    ]
  )
  const { id } = rows[0]
  await owner.query("INSERT INTO auth_events (what, user_id) VALUES ('registered', $1)", [id])
  return id
}

/** `expires`: an interval from now, possibly negative. */
async function addRefreshToken (owner: pg.Pool, userId: string, expires: string) {
  await owner.query(
    `INSERT INTO refresh_tokens (id, user_id, token, signed_in_at, expires_at)
     VALUES ($1, $2, $3, now(), now() + $4::interval)`,
    [randomUUID(), userId, randomBytes(32), expires]
  )
}

async function addOneTimeToken (owner: pg.Pool, userId: string, expires: string, used = false) {
  await owner.query(
    `INSERT INTO one_time_tokens (user_id, kind, token, expires_at, used_at)
     VALUES ($1, 'reset', $2, now() + $3::interval, $4)`,
    [userId, randomBytes(32), expires, used ? new Date() : null]
  )
}

const count = async (owner: pg.Pool, table: string): Promise<number> =>
  (await owner.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count

const NOTHING = {
  refresh_tokens: 0,
  revocations: 0,
  one_time_tokens: 0,
  mail_codes: 0,
  mail_code_guesses: 0,
  used_challenges: 0,
  operator_sessions: 0,
  idempotency_keys: 0,
  webhook_deliveries: 0,
  auth_events: 0,
  openid_artifacts: 0,
  device_codes: 0,
  application_grants: 0,
  application_secrets: 0,
  applications: 0,
  retired_signing_keys: 0,
  sign_in_counts: 0,
  account_totals: 0,
}

root.test('purge: deletes expired rows, and only those', async t => {
  const { app, owner, log } = await setUp(t)
  t.teardown(() => owner.query('DELETE FROM idempotency_keys; DELETE FROM used_challenges'))
  t.teardown(() => owner.query('DELETE FROM mail_codes; DELETE FROM mail_code_guesses'))
  const id = await addUser(owner, 'old-and-verified', { age: '30 days', verified: true })
  await addUser(owner, 'social', { age: '30 days', social: true })
  await addUser(owner, 'young', { age: '6 days 23 hours' })
  await addUser(owner, 'in-use', { age: '30 days', signedIn: true })
  const forgotten = await addUser(owner, 'forgotten', { age: '7 days 1 hour' })

  await addRefreshToken(owner, id, '1 minute')
  for (const expired of ['-1 day', '-2 days']) await addRefreshToken(owner, id, expired)

  for (const [expires, used] of [
    ['1 hour', false],
    ['1 hour', true],
    ['-23 hours', false],
  ] as const) { await addOneTimeToken(owner, id, expires, used) }
  for (const used of [false, true]) await addOneTimeToken(owner, id, '-25 hours', used)
  await addOneTimeToken(owner, forgotten, '1 hour')

  const eventsBefore = await count(owner, 'auth_events')
  for (const age of ['179 days', '181 days', '2 years']) {
    await owner.query("INSERT INTO auth_events (what, created_at) VALUES ('sign_in', now() - $1::interval)", [age])
  }

  await owner.query(`INSERT INTO idempotency_keys (actor, key, request, created_at)
    VALUES ('key a', 'old', '\\x01', now() - interval '25 hours'), ('key a', 'new', '\\x01', now())`)
  await owner.query(`INSERT INTO mail_codes (email, purpose, asked_by, expires_at) VALUES
    ('expired@example.com', 'sign-in', 'a', now() - interval '1 second'),
    ('valid@example.com', 'sign-in', 'b', now() + interval '1 minute')`)
  await owner.query(`INSERT INTO mail_code_guesses (address, known, wrong, since) VALUES
    ('none', false, 0, now()), ('long ago', false, 5, now() - interval '15 days'),
    ('counts', false, 5, now() - interval '13 days')`)
  await owner.query(`INSERT INTO used_challenges (digest, expires_at)
    VALUES ('old', now() - interval '61 minutes'), ('late', now() - interval '59 minutes')`)
  t.strictSame(await app.purge.run(), {
    refresh_tokens: 2,
    revocations: 0,
    one_time_tokens: 2,
    mail_codes: 1,
    mail_code_guesses: 2,
    used_challenges: 1,
    operator_sessions: 0,
    idempotency_keys: 1,
    webhook_deliveries: 0,
    auth_events: 2,
    openid_artifacts: 0,
    device_codes: 0,
    application_grants: 0,
    application_secrets: 0,
    applications: 0,
    retired_signing_keys: 0,
    sign_in_counts: 0,
    account_totals: 0,
    users: 1,
  })
  t.equal(await count(owner, 'refresh_tokens'), 1)
  t.equal(await count(owner, 'one_time_tokens'), 3, 'that of the deleted account is deleted, too')
  t.equal(await count(owner, "auth_events WHERE created_at < now() - interval '1 day'"), 1)
  t.ok((await count(owner, 'auth_events')) >= eventsBefore)
  const { rows } = await owner.query('SELECT username FROM users ORDER BY 1')
  t.strictSame(
    rows.map(({ username }) => username),
    ['in-use', 'old-and-verified', 'social', 'young']
  )
  t.match(
    log.lines.find(({ msg }) => msg === 'purged'),
    { deleted: { users: 1 } }
  )

  t.strictSame(await app.purge.run(), { ...NOTHING, users: 0 })
})

root.test('purge: a grant stays for a day after its sessions, also if the account was deleted', async t => {
  const { app, owner } = await setUp(t)
  const [application, id] = [randomUUID(), await addUser(owner, 'anna', { verified: true })]
  t.teardown(() => owner.query('DELETE FROM applications; DELETE FROM revocations'))
  await owner.query("INSERT INTO applications (id, name, kind) VALUES ($1, 'Wiki', 'web')", [application])
  /** Its session of the browser ended as long ago as this, or is live. */
  async function addSession (revoked?: string): Promise<string> {
    const { rows } = await owner.query(`
      INSERT INTO refresh_tokens (id, user_id, token, signed_in_at, expires_at, revoked_at)
      VALUES (gen_random_uuid(), $1, '', now(), now() + interval '9 days', now() - $2::interval) RETURNING id`,
    [id, revoked])
    return rows[0].id
  }
  async function addGrant (browser: string, { session = browser, ended }: { session?: string, ended?: string } = {}) {
    const grant = randomUUID()
    await owner.query(`
      INSERT INTO application_grants
        (id, application_id, user_id, session_id, signed_in_from, sid, created_at, ended_at, scopes, allowed, refresh)
      VALUES ($1, $2, $3, $4, $5, $5, now() - interval '5 days', now() - $6::interval, '{openid}', '{}', '{}')`,
    [grant, application, id, session, browser, ended])
    return grant
  }
  const grants = async () => (await owner.query('SELECT id FROM application_grants')).rows.map(row => row.id).toSorted()

  const live = await addSession()
  const kept = [
    await addGrant(live),
    // The application is told when the session of the browser ends.
    await addGrant(live, { ended: '3 days' }),
    await addGrant(live, { session: await addSession('3 days') }),
    await addGrant(await addSession('23 hours')),
    await addGrant(await addSession('3 days'), { session: live }),
  ]
  await addGrant(await addSession('25 hours'))
  await addGrant(randomUUID())
  t.match(await app.purge.run(), { application_grants: 2 })
  t.strictSame(await grants(), kept.toSorted())

  await owner.query('DELETE FROM users WHERE id = $1', [id])
  await app.purge.run()
  t.strictSame(await grants(), kept.slice(0, 3).toSorted(), 'until the application has been told of the deletion')
  await owner.query("UPDATE revocations SET created_at = now() - interval '25 hours'")
  t.match(await app.purge.run(), { application_grants: 3 })
})

root.test('purge: what applications use no more, and signing keys that are too old for any session', async t => {
  const { app, owner } = await setUp(t)
  const id = randomUUID()
  t.teardown(() => owner.query(
    'DELETE FROM applications; DELETE FROM openid_artifacts; DELETE FROM retired_signing_keys'))
  await owner.query("INSERT INTO applications (id, name, kind) VALUES ($1, 'Wiki', 'web')", [id])
  await owner.query(`INSERT INTO application_secrets (application_id, digest, ends_at) VALUES
    ($1, 'current', NULL), ($1, 'former', now() + interval '1 minute'), ($1, 'old', now() - interval '1 minute')`, [id])
  await owner.query(`INSERT INTO openid_artifacts (id, kind, payload, expires_at) VALUES
    ('valid', 'Interaction', '{}', now() + interval '1 minute'), ('old', 'Interaction', '{}', now())`)
  await owner.query(`INSERT INTO retired_signing_keys (kid, public_key, keep_until) VALUES
    ('young', '{}', now() + interval '1 minute'), ('old', '{}', now())`)
  t.match(await app.purge.run(), { openid_artifacts: 1, application_secrets: 1, retired_signing_keys: 1 })
  t.match((await owner.query('SELECT digest FROM application_secrets ORDER BY 1')).rows.map(row => `${row.digest}`),
    ['current', 'former'])
  t.match((await owner.query('SELECT kid FROM retired_signing_keys')).rows, [{ kid: 'young' }])
  t.match((await owner.query('SELECT id FROM openid_artifacts')).rows.map(row => `${row.id}`), ['valid'])
})

root.test('purge: applications that registered themselves and are not used', async t => {
  const { app, owner } = await setUp(t)
  t.teardown(() => owner.query('DELETE FROM applications; DELETE FROM application_grants'))
  const add = async (registration: string | null, age: string, allowed: string | null, hasGrant = false) => {
    const id = randomUUID()
    await owner.query(`
      INSERT INTO applications (id, name, kind, registration, created_at, allowed_at)
      VALUES ($1, 'Agent', 'public', $2, now() - $3::interval, now() - $4::interval)`, [id, registration, age, allowed])
    if (hasGrant) {
      await owner.query(`
        INSERT INTO application_grants
          (id, application_id, user_id, session_id, signed_in_from, sid, scopes, allowed, refresh)
        VALUES ($1, $2, 1, $1, $1, $1, '{}', '{}', '{}')`, [randomUUID(), id])
    }
    return id
  }
  const kept = [
    await add(null, '1 year', null),
    await add('dynamic', '23 hours', null),
    await add('document', '1 year', '89 days'),
    await add('dynamic', '1 year', '91 days', true),
  ]
  await add('dynamic', '25 hours', null)
  await add('document', '25 hours', null)
  await add('dynamic', '1 year', '91 days')
  t.match(await app.purge.run(), { applications: 3 })
  t.strictSame((await owner.query('SELECT id FROM applications')).rows.map(({ id }) => id).toSorted(), kept.toSorted())
})

root.test('purge: two instances, several batches, each row counted once', async t => {
  const { app, owner } = await setUp(t)
  const other = await build(t, { settings: { DATABASE_URL: app.config.DATABASE_URL as string } })
  const id = await addUser(owner, 'anna', { verified: true })
  await owner.query(`
    INSERT INTO auth_events (what, created_at)
    SELECT 'sign_in', now() - interval '1 year' FROM generate_series(1, 5500)`)
  await owner.query(
    `INSERT INTO one_time_tokens (user_id, kind, token, expires_at)
    SELECT $1, 'verify', sha256(i::text::bytea), now() - interval '2 days' FROM generate_series(1, 2300) i`,
    [id]
  )
  await owner.query(`INSERT INTO users (email, username, password_hash, verification_sent_at)
    SELECT i || '@example.com', 'user' || i, 'hash', now() - interval '8 days' FROM generate_series(1, 2100) i`)

  const both = await Promise.all([app, other.app].map(({ purge }) => purge.run()))
  const total = (table: 'auth_events' | 'one_time_tokens' | 'users') =>
    both.reduce((sum, deleted) => sum + (deleted[table] ?? 0), 0)
  t.strictSame([total('auth_events'), total('one_time_tokens'), total('users')], [5500, 2300, 2100])
  t.equal(await count(owner, 'users'), 1)
})

root.test('purge: an ended session stays ended', async t => {
  const { app, owner } = await setUp(t)
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  await browser.refresh()
  await owner.query('UPDATE refresh_tokens SET revoked_at = now()')
  await app.purge.run()
  t.equal((await browser.refresh()).statusCode, 401)
  t.equal(await count(owner, 'refresh_tokens'), 1, 'kept until its token has expired')
  await owner.query("UPDATE refresh_tokens SET expires_at = now() - interval '1 day'")
  await app.purge.run()
  t.equal((await browser.refresh()).statusCode, 401)
  t.equal(await count(owner, 'refresh_tokens'), 0)
})

const namesOf = async (owner: pg.Pool): Promise<string[]> =>
  (await owner.query('SELECT username FROM users ORDER BY 1')).rows.map(({ username }) => username)

root.test('purge: seven days after the last link, not after the registration', async t => {
  const { app, owner, smtp } = await setUp(t)
  await addUser(owner, 'asked-again', { age: '6 days 23 hours 59 minutes' })
  const resend = { method: 'POST', url: '/verify-email/resend', payload: { email: 'asked-again@example.com' } } as const
  t.equal((await app.inject(resend)).statusCode, 202)
  const { token } = await smtp.next()
  await owner.query("UPDATE users SET created_at = created_at - interval '2 minutes'")
  t.equal((await app.purge.run()).users, 0)
  t.equal((await app.inject({ method: 'POST', url: '/verify-email', payload: { token } })).statusCode, 204)
})

root.test('purge: not while a verification link is valid', async t => {
  const { app, owner } = await setUp(t)
  const id = await addUser(owner, 'with-link', { age: '30 days' })
  await owner.query(`INSERT INTO one_time_tokens (user_id, kind, token, expires_at)
    VALUES ($1, 'verify', '', now() + interval '1 minute')`, [id])
  t.equal((await app.purge.run()).users, 0)
  await owner.query("UPDATE one_time_tokens SET expires_at = now() - interval '1 minute'")
  t.equal((await app.purge.run()).users, 1)
})

let starting: ReturnType<typeof build> | undefined

/** Another instance, where addresses need not be verified. */
function startWithout ({ config }: FastifyInstance) {
  const settings = { DATABASE_URL: config.DATABASE_URL as string, EMAIL_VERIFICATION: 'off' }
  starting ??= build(root, { settings })
  return starting
}

root.test('purge: keeps unverified accounts with EMAIL_VERIFICATION=off', async t => {
  const { app, owner } = await setUp(t)
  await addUser(owner, 'old', { age: '30 days' })
  t.strictSame(await (await startWithout(app)).app.purge.run(), NOTHING)
  t.equal(await count(owner, 'users'), 1)
})

root.test('purge: after a change from EMAIL_VERIFICATION=off to required, older accounts stay', async t => {
  const { app, owner, smtp } = await setUp(t)
  const register = (app: FastifyInstance, username: string, email = `${username}@example.com`) =>
    app.inject({ method: 'POST', url: '/register', payload: { username, email, password: 'gl4ss-Harmonica-7!' } })
  const before = await startWithout(app)
  t.equal((await register(before.app, 'registered-while-off')).statusCode, 201)
  await before.app.close()

  t.equal((await register(app, 'registered-later')).statusCode, 202)
  t.equal((await register(app, 'stand-in', 'registered-later@example.com')).statusCode, 202)
  const email = 'registered-while-off@example.com'
  await app.inject({ method: 'POST', url: '/verify-email/resend', payload: { email } })
  await eventually(() => smtp.mails.length, count => count === 3)
  t.equal(await count(owner, 'one_time_tokens'), 3)

  await owner.query(`UPDATE users SET created_at = created_at - interval '8 days',
    verification_sent_at = verification_sent_at - interval '8 days'`)
  await owner.query("UPDATE one_time_tokens SET expires_at = expires_at - interval '8 days'")
  t.equal((await app.purge.run()).users, 2)
  t.strictSame(await namesOf(owner), ['registered-while-off'], 'also if a link was requested for it since')
})
