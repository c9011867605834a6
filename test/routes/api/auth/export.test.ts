import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import t from 'tap'
import { createBrowser, createUser } from '../../../support/browser.ts'
import { addApplication, addGrant, allowApplication } from '../../../support/applications.ts'
import { buildShared } from '../../../support/build.ts'
import { addTotp } from '../../../support/second-factor.ts'

const PATH = '/api/auth/export'

/** Tables with something about a user, by the name that the export has for them. */
const EXPORTED: Record<string, string> = {
  'public.users': 'account',
  'public.account_data': 'applicationData',
  'public.identities': 'providers',
  'public.passkeys': 'passkeys',
  'public.totp': 'authenticatorApp',
  'public.recovery_codes': 'recoveryCodes',
  'public.one_time_tokens': 'links',
  'public.mail_codes': 'codes',
  'pgboss.job_common': 'mails',
  'public.last_sign_ins': 'lastSignIn',
  'public.operators': 'operator',
  'public.suspended_operators': 'suspendedOperator',
  'public.operator_sessions': 'operatorSessions',
  'public.application_consents': 'applications',
  'public.application_grants': 'applicationGrants',
  'public.refresh_tokens': 'sessions',
  'public.auth_events': 'events',
}

/** Tables that name a user, and why they are left out. */
const NOT_EXPORTED: Record<string, string> = {
  'public.revocations': 'the end of sessions and the times of changed data, which are exported, for a day',
  'public.mail_alerts': 'how many mails told of events, which are exported, for an hour',
  'public.sign_in_alarms': 'sign-ins of the last second, whose events are exported',
  'public.webhook_deliveries': 'the kinds and times of events, which are exported, and nothing personal',
  'public.audit_seals': 'digests of events, which are exported',
  'pgboss.job': 'the parent of job_common',
  'pgboss.schedule': 'when the periodic jobs run',
  'pgboss.warning': 'notes of the job queue about itself',
}

/** Columns with another name in the export. */
const RENAMED: Record<string, string> = {
  'users.password_hash': 'hasPassword',
  'identities.created_at': 'connectedAt',
  'passkeys.id': 'credentialId',
  'passkeys.public_id': 'id',
  'passkeys.backed_up': 'synced',
  'recovery_codes.used_at': 'lastUsedAt',
  'refresh_tokens.signed_in_at': 'firstUsedAt',
  'refresh_tokens.issued_at': 'lastUsedAt',
  'refresh_tokens.auth_time': 'confirmedAt',
  'refresh_tokens.amr': 'methods',
  'refresh_tokens.revoked_at': 'endedAt',
  'refresh_tokens.revoked_for': 'endedBecause',
  'refresh_tokens.replaced_by': 'replacedBy',
  'refresh_tokens.device_key': 'boundToDevice',
  'application_grants.used_at': 'lastUsedAt',
  'auth_events.created_at': 'at',
  'auth_events.actor': 'byOperator',
}

/** Columns that are left out: secrets, keys of our own rows, and what another member has. */
const LEFT_OUT = new Set([
  'users.provider_a_id', 'users.provider_b_id', // in `providers`
  'users.disabled_at', // such an account cannot ask, and its events say it
  'users.factors_version', 'users.passkey_handle',
  'passkeys.public_key', 'passkeys.counter',
  'totp.secret', 'totp.last_step',
  'recovery_codes.digest',
  'one_time_tokens.id', 'one_time_tokens.token', 'one_time_tokens.session_id', 'one_time_tokens.requested_by',
  'mail_codes.asked_by', 'mail_codes.code', 'mail_codes.token',
  'operator_sessions.digest', 'operator_sessions.factors_version',
  'refresh_tokens.proof_key', 'refresh_tokens.used_proof',
  'refresh_tokens.token', 'refresh_tokens.generation', 'refresh_tokens.rotated_at', 'refresh_tokens.purge_on',
  'auth_events.id', 'auth_events.xid', 'auth_events.salt', 'auth_events.session_id',
  'auth_events.account_id', // of events without an account
  'application_grants.sid', 'application_grants.rotated_at', 'application_grants.generation',
  'application_grants.allowed', 'application_grants.refresh', // the same as the scopes, and what tokens say
])

/** An account with a row in every table, as far as it can have one. */
async function createRichUser (owner: pg.Pool) {
  const user = await createUser(owner, { name: 'Ada Lovelace', provider_a_id: `a-${Math.random()}` })
  await addTotp(owner, user.id)
  await owner.query(`
    INSERT INTO passkeys (id, user_id, public_key, device_type, backed_up, name)
    VALUES ('credential-of-${user.id}', $1, 'public key of a passkey', 'multiDevice', true, 'Laptop')`, [user.id])
  await owner.query(`
    INSERT INTO identities (provider, subject, issuer, user_id, email)
    VALUES ('gitlab', 'subject-of-${user.id}', 'https://gitlab.example.com', $1, 'ada@gitlab.example')`, [user.id])
  await owner.query(`
    INSERT INTO one_time_tokens (user_id, kind, token, expires_at, email)
    VALUES ($1, 'change_email', 'digest-of-${user.id}', now() + interval '1 hour', 'next-${user.id}@example.org')`,
  [user.id])
  await owner.query(`
    INSERT INTO mail_codes (email, purpose, asked_by, user_id, expires_at)
    VALUES ($2, 'sign-in', 'asker-of-${user.id}', $1, now() + interval '1 minute')`, [user.id, user.email])
  await owner.query(`
    INSERT INTO mail_code_guesses (address, known, wrong)
    VALUES (sha256(convert_to(lower($1), 'UTF8')), false, 3)`, [user.email])
  await owner.query('INSERT INTO account_data (user_id, data) VALUES ($1, $2)', [user.id, { note: `note-${user.id}` }])
  await owner.query('INSERT INTO last_sign_ins VALUES ($1, now()) ON CONFLICT DO NOTHING', [user.id])
  await owner.query('INSERT INTO operators (user_id) VALUES ($1)', [user.id])
  await owner.query('INSERT INTO suspended_operators (user_id) VALUES ($1)', [user.id])
  await owner.query(`
    INSERT INTO operator_sessions (digest, user_id, factors_version, expires_at)
    VALUES ('session-of-${user.id}', $1, 1, now() + interval '1 hour')`, [user.id])
  const application = await addApplication(owner, `Album of ${user.id}`)
  await allowApplication(owner, user.id, application)
  await addGrant(owner, user.id, application, randomUUID())
  await owner.query(`
    INSERT INTO auth_events (what, user_id, actor) VALUES ('account_enabled', $1, 'operator grace')`, [user.id])
  await owner.query(`
    INSERT INTO pgboss.job (name, data, state) VALUES ('mail', $1, 'completed'), ('mail', $2, 'completed')`, [
    { kind: 'password-changed', email: user.email.toUpperCase() },
    { kind: 'change-email', email: `next-${user.id}@example.org`, userId: user.id },
  ])
  return user
}

/** A session whose user has proved both factors just now. */
async function signIn (app: Parameters<typeof createBrowser>[0], owner: pg.Pool, { id }: { id: string }) {
  const { rows } = await owner.query('SELECT username, password_hash FROM users WHERE id = $1', [id])
  const browser = createBrowser(app)
  // Without a second step, which has its own tests.
  await owner.query('UPDATE users SET factors_version = 0 WHERE id = $1', [id])
  const answer = await browser.signIn(rows[0].username)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  await owner.query("UPDATE refresh_tokens SET amr = '{pwd,otp,mfa}', auth_time = now() WHERE user_id = $1", [id])
  return browser
}

const camelCase = (column: string) => column.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

t.test('GET /api/auth/export: everything about the user, as a file (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createRichUser(owner)
  const browser = await signIn(app, owner, user)
  const answer = await browser.get(PATH)
  t.match(answer, {
    statusCode: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account-data.json"',
      'cache-control': 'no-store',
      'strict-transport-security': /./,
    },
  })
  const data = answer.json()
  t.match(data, {
    exportedAt: /^\d{4}-.+Z$/,
    account: { id: user.id, username: user.username, email: user.email, name: 'Ada Lovelace', hasPassword: true },
    applicationData: { data: { note: `note-${user.id}` }, version: 1, updatedAt: /Z$/ },
    providers: [
      { provider: 'provider_a', subject: user.provider_a_id, email: null },
      { provider: 'gitlab', subject: `subject-of-${user.id}`, email: 'ada@gitlab.example', connectedAt: /Z$/ },
    ],
    passkeys: [{ name: 'Laptop', synced: true, createdAt: /Z$/, lastUsedAt: null }],
    authenticatorApp: { confirmedAt: /Z$/ },
    recoveryCodes: { left: 10 },
    links: [{ kind: 'change_email', email: `next-${user.id}@example.org`, usedAt: null }],
    wrongCodes: [{ known: false, wrong: 3, since: /Z$/ }],
    operator: { addedAt: /Z$/ },
    operatorSessions: [{ provedAt: /Z$/ }],
    applications: [{ name: `Album of ${user.id}`, scopes: ['openid', 'email'], grantedAt: /Z$/ }],
    applicationGrants: [{ name: `Album of ${user.id}`, lastUsedAt: /Z$/, endedAt: null }],
    sessions: [{ ip: browser.address, userAgent: /Firefox/, methods: ['pwd', 'otp', 'mfa'], endedAt: null }],
    events: [
      { what: 'data_exported', ip: browser.address, userAgent: /Firefox/, byOperator: false },
      { what: 'sign_in' },
      { what: 'account_enabled', byOperator: true },
    ],
  })
  t.strictSame(data.mails.map(({ kind }: { kind: string }) => kind).sort(), ['change-email', 'password-changed'])
  t.notMatch(answer.body, 'grace', 'not the name of the operator')
  const { events } = (await browser.get('/api/auth/events')).json()
  t.match(events[0], { what: 'data_exported', ip: browser.address })
})

t.test('GET /api/auth/export: every table and column about a user is exported, or left out for a reason', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createRichUser(owner)
  const browser = await signIn(app, owner, user)
  const data = (await browser.get(PATH)).json()

  const { rows: tables } = await owner.query<{ name: string }>(`
    SELECT DISTINCT c.table_schema || '.' || c.table_name AS name FROM information_schema.columns c
    WHERE c.table_schema NOT IN ('pg_catalog', 'information_schema') AND c.column_name ~ '^((user|account)_ids?|email)$'
    UNION SELECT n.nspname || '.' || r.relname FROM pg_constraint f JOIN pg_class r ON r.oid = f.conrelid
      JOIN pg_namespace n ON n.oid = r.relnamespace WHERE f.contype = 'f' AND f.confrelid = 'users'::regclass
    UNION SELECT table_schema || '.' || table_name FROM information_schema.columns
      WHERE table_schema = 'pgboss' AND column_name = 'data'
    UNION SELECT 'public.users'`)
  t.ok(tables.length > 10)
  t.strictSame(
    tables.map(({ name }) => name).sort(),
    [...Object.keys(EXPORTED), ...Object.keys(NOT_EXPORTED)].sort(),
    'a new table with data about users must be exported'
  )

  for (const [table, member] of Object.entries(EXPORTED)) {
    const row = [data[member]].flat().at(-1)
    t.ok(row, `${member}: the export has a row`)
    if (member === 'mails') continue
    const [schema, name] = table.split('.')
    const { rows: columns } = await owner.query<{ column: string }>(`
      SELECT column_name AS column FROM information_schema.columns
      WHERE table_schema = $1 AND table_name = $2 AND column_name <> 'user_id'`, [schema, name])
    const missing = columns.map(({ column }) => column)
      .filter(column => !LEFT_OUT.has(`${name}.${column}`))
      .filter(column => !((RENAMED[`${name}.${column}`] ?? camelCase(column)) in row))
    t.strictSame(missing, [], `${name}: a new column must be exported`)
  }
})

t.test('GET /api/auth/export: no secret, and nothing of another user', async t => {
  const { app, owner } = await buildShared(t)
  const [user, other] = [await createRichUser(owner), await createRichUser(owner)]
  const browser = await signIn(app, owner, user)
  const stranger = await signIn(app, owner, other)
  const text = (await browser.get(PATH)).body
  t.equal((await stranger.get(PATH)).statusCode, 200)

  const { rows: secrets } = await owner.query<{ value: string | Buffer }>(`
    SELECT password_hash::bytea AS value FROM users UNION ALL SELECT secret::bytea FROM totp
    UNION ALL SELECT digest FROM recovery_codes UNION ALL SELECT token FROM one_time_tokens
    UNION ALL SELECT digest FROM operator_sessions UNION ALL SELECT token FROM refresh_tokens
    UNION ALL SELECT public_key FROM passkeys UNION ALL SELECT passkey_handle FROM users`)
  t.ok(secrets.length > 25)
  for (const { value } of secrets.filter(({ value }) => value !== null)) {
    for (const form of ['latin1', 'hex', 'base64', 'base64url'] as const) {
      t.notOk(text.includes((value as Buffer).toString(form)), 'no stored hash or secret')
    }
  }
  for (const [name, value] of browser.cookies) t.notOk(text.includes(value), `not the cookie ${name}`)
  t.ok(text.includes(`subject-of-${user.id}`))
  for (const value of [
    other.email, other.username, String(other.provider_a_id), `subject-of-${other.id}`, `next-${other.id}@example.org`,
    `credential-of-${other.id}`, `Album of ${other.id}`, stranger.address,
  ]) t.notOk(text.toLowerCase().includes(`${value.toLowerCase()}"`), value)
})

t.test('GET /api/auth/export: no fresh proof (403), signed out (401), HEAD (405): nothing is recorded', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  t.equal((await browser.get(PATH)).statusCode, 401)
  await browser.signIn(user.username)
  t.equal((await browser.send('HEAD', PATH)).statusCode, 405)
  await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 hour'")
  t.match(await browser.get(PATH), { statusCode: 403, body: /"Confirm it is you".+"methods":\["password"\]/ })
  const recorded = () => owner.query("SELECT FROM auth_events WHERE what = 'data_exported'")
  t.equal((await recorded()).rowCount, 0)
  await browser.guarded('POST', '/api/auth/reauthenticate', { password: user.password })
  t.equal((await browser.get(PATH)).statusCode, 200)
  t.equal((await recorded()).rowCount, 1)
  await owner.query('UPDATE refresh_tokens SET revoked_at = now()')
  t.equal((await browser.get(PATH)).statusCode, 401, 'the session has ended')
})

t.test('GET /api/auth/export: more events and sessions than one page has', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await owner.query(`
    INSERT INTO auth_events (what, user_id, created_at)
    SELECT 'sign_out', $1, now() - n * interval '1 second' FROM generate_series(1, 2500) n`, [user.id])
  await owner.query(`
    INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at)
    SELECT gen_random_uuid(), $1, '', now(), now() FROM generate_series(1, 1999)`, [user.id])
  const { events, sessions } = (await browser.get(PATH)).json()
  t.equal(events.length, 2_502)
  t.equal(new Set(sessions.map(({ id }: { id: string }) => id)).size, 2_000)
})
