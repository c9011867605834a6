import type { FastifyInstance } from 'fastify'
import root, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { BASE_SETTINGS, build, createDatabase, pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'
const CHECKS = ['/api/auth/verify', '/api/auth/me', '/api/auth/sessions', '/api/csrf-token']

const accessTokenOf = (browser: Browser) => browser.cookies.get('access_token') as string
const sessionOf = (browser: Browser): string =>
  JSON.parse(Buffer.from(accessTokenOf(browser).split('.')[1] as string, 'base64url').toString()).sid

/** Whether the instance accepts an access token, the same on every route. */
async function accepts (app: FastifyInstance, access: string): Promise<boolean> {
  const statuses = []
  for (const url of CHECKS) {
    statuses.push((await app.inject({ url, cookies: { access_token: access } })).statusCode < 300)
  }
  statuses.push(app.tokens.read(access, 'access') !== undefined)
  if (new Set(statuses).size > 1) return accepts(app, access)
  return statuses[0] as boolean
}

async function startTwo () {
  const { owner, settings } = await createDatabase(root)
  const [{ app }, { app: neighbour }] = [
    await build(root, { settings: { ...NO_LIMITS, ...settings } }),
    await build(root, { settings: { ...NO_LIMITS, ...settings } }),
  ]
  return { owner, settings, app, neighbour }
}

let shared: ReturnType<typeof startTwo> | undefined

/** Two instances, and a user who is signed in in two browsers. Both instances have seen both access tokens. */
async function setUp (t: Test) {
  const { owner, settings, app, neighbour } = await (shared ??= startTwo())
  const user = await createUser(owner)
  const [victim, other] = [createBrowser(app), createBrowser(app)]
  for (const browser of [victim, other]) {
    t.equal((await browser.signIn(user.username)).statusCode, 200)
    for (const each of [app, neighbour]) t.ok(await accepts(each, accessTokenOf(browser)), 'accepted at first')
  }
  const untilRefused = async (access: string) => {
    for (const each of [app, neighbour]) await eventually(() => accepts(each, access), accepted => !accepted)
  }
  return { app, neighbour, owner, settings, user, victim, other, untilRefused }
}

type Context = Awaited<ReturnType<typeof setUp>>

const run = (args: string[], settings: Record<string, string>, input = '') =>
  gatehouse(args, { ...BASE_SETTINGS, ...settings }, { input }).ended

/** Every way in which the session of the victim ends, and whether the other session of the user ends, too. */
const ENDINGS: Record<string, { end (context: Context): Promise<unknown>, endsOther?: boolean }> = {
  'sign-out': { end: ({ victim }) => victim.post('/logout') },
  'ended by the owner': {
    end: ({ victim, other }) => other.guarded('DELETE', `/api/auth/sessions/${sessionOf(victim)}`),
  },
  'all others ended by the owner': { end: ({ other }) => other.guarded('DELETE', '/api/auth/sessions') },
  'password changed': {
    end: ({ other }) => other.guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD }),
  },
  'password reset': {
    async end ({ app, user }) {
      const token = await app.oneTimeTokens.issue(user.id, 'reset')
      await createBrowser(app).post('/reset-password/confirm', { token, password: NEW_PASSWORD })
    },
    endsOther: true,
  },
  'a refresh token used twice': {
    async end ({ app, victim }) {
      const thief = createBrowser(app)
      thief.cookies.set('refresh_token', victim.cookies.get('refresh_token') as string)
      await victim.refresh()
      await victim.refresh()
      await thief.refresh()
    },
  },
  'replaced at sign-in': { end: ({ victim, user }) => victim.signIn(user.username) },
  'more than 100 sessions': {
    async end ({ app, owner, user, victim }) {
      await owner.query("UPDATE refresh_tokens SET issued_at = issued_at - interval '1 hour' WHERE id = $1",
        [sessionOf(victim)])
      await owner.query(`
        INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at)
        SELECT gen_random_uuid(), $1, '', now() + interval '1 day', now() FROM generate_series(1, 98)`, [user.id])
      await createBrowser(app).signIn(user.username)
    },
  },
  'account deleted': {
    end: ({ other }) => other.guarded('DELETE', '/api/auth/me', { password: PASSWORD }),
    endsOther: true,
  },
  'gatehouse user disable': {
    end: ({ user, settings }) => run(['user', 'disable', user.username], settings),
    endsOther: true,
  },
  'gatehouse user end-sessions': {
    end: ({ user, settings }) => run(['user', 'end-sessions', user.username], settings),
    endsOther: true,
  },
  'gatehouse user set-password': {
    end: ({ user, settings }) => run(['user', 'set-password', user.username], settings, NEW_PASSWORD),
    endsOther: true,
  },
}

for (const [way, { end, endsOther = false }] of Object.entries(ENDINGS)) {
  root.test(`${way}: both instances refuse the access token`, async t => {
    const context = await setUp(t)
    const access = accessTokenOf(context.victim)
    const formerAccess = accessTokenOf(context.other)
    await end(context)
    await context.untilRefused(access)
    if (endsOther) return context.untilRefused(formerAccess)
    // A changed password replaces the session of its browser.
    const otherAccess = accessTokenOf(context.other)
    if (otherAccess !== formerAccess) await context.untilRefused(formerAccess)
    for (const app of [context.app, context.neighbour]) t.ok(await accepts(app, otherAccess), 'the other one stays')
  })
}

root.test('an instance that starts later knows the sessions that have ended', async t => {
  const { settings, victim } = await setUp(t)
  const access = accessTokenOf(victim)
  await victim.post('/logout')
  const { app } = await build(t, { settings })
  await eventually(() => app.inject('/health/ready'), ({ statusCode }) => statusCode === 200)
  t.notOk(await accepts(app, access))
})

root.test('a transaction that commits late, after others that began later', async t => {
  const { app, neighbour, settings, owner, victim, other, untilRefused } = await setUp(t)
  const slow = new pg.Client({ connectionString: settings.MIGRATION_DATABASE_URL })
  await slow.connect()
  t.teardown(() => slow.end())
  const end = 'UPDATE refresh_tokens SET revoked_at = now() WHERE id = $1'
  await slow.query('BEGIN')
  await slow.query(end, [sessionOf(victim)])
  await owner.query(end, [sessionOf(other)])
  await untilRefused(accessTokenOf(other))
  for (const each of [app, neighbour]) t.ok(await accepts(each, accessTokenOf(victim)), 'not committed yet')
  await slow.query('COMMIT')
  await untilRefused(accessTokenOf(victim))
})

root.test('a transaction that is rolled back ends no session', async t => {
  const { app, owner, victim, other, untilRefused } = await setUp(t)
  const client = await owner.connect()
  await client.query('BEGIN')
  await client.query('UPDATE refresh_tokens SET revoked_at = now() WHERE id = $1', [sessionOf(victim)])
  await client.query('ROLLBACK')
  client.release()
  const access = accessTokenOf(other)
  await other.post('/logout')
  await untilRefused(access)
  t.ok(await accepts(app, accessTokenOf(victim)))
})

root.test('without notifications, as behind PgBouncer: polls find what has ended', async t => {
  const { owner, victim, untilRefused } = await setUp(t)
  const { rows: [{ original }] } = await owner.query(
    "SELECT pg_get_functiondef('revoke_ended_session'::regproc) AS original")
  t.teardown(() => owner.query(original))
  await owner.query(`
    CREATE OR REPLACE FUNCTION revoke_ended_session() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO public.revocations (sid) VALUES (OLD.id);
      RETURN NULL;
    END
    $$`)
  const access = accessTokenOf(victim)
  await victim.post('/logout')
  await untilRefused(access)
})

root.test('the connection of the feed is cut: a new one begins with a replay', async t => {
  const { owner, victim, untilRefused } = await setUp(t)
  const access = accessTokenOf(victim)
  const { rowCount } = await owner.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'gatehouse revocations' AND datname = current_database()`)
  t.equal(rowCount, 2)
  await victim.post('/logout')
  await untilRefused(access)
})

root.test('expired sessions that the purge deletes are not revoked', async t => {
  const { app, owner } = await setUp(t)
  const count = async () => (await owner.query('SELECT FROM revocations')).rowCount
  const before = await count()
  await owner.query("UPDATE refresh_tokens SET expires_at = now() - interval '1 day'")
  await app.purge.run()
  t.equal((await owner.query('SELECT FROM refresh_tokens')).rowCount, 0)
  t.equal(await count(), before)
})

root.test('old revocations are purged: those of sessions after a day, canaries after 20 minutes', async t => {
  const { app, owner } = await setUp(t)
  await owner.query(`
    INSERT INTO revocations (sid, created_at, canary)
    SELECT gen_random_uuid(), now() - age * interval '1 minute', canary
    FROM unnest(ARRAY[19, 21, 21, 1439, 1441], ARRAY[true, true, false, false, false]) AS kept (age, canary)`)
  t.match(await app.purge.run(), { revocations: 2 })
})
