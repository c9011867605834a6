import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'
import { SMTPServer } from 'smtp-server'
import t from 'tap'
import { startApplication } from '../../support/application.ts'
import { createDatabase, JWT_SECRET, startRedis, withoutRedis } from '../../support/build.ts'
import { startRangeServer, TROUBLE } from '../../support/range-server.ts'
import { createMigrated, examine, PASSWORD, startHealthy, withPassword } from '../../support/cli/healthy-settings.ts'

const skip = { skip: withoutRedis }
const { settings: SETTINGS } = await startHealthy(t)

t.test('doctor: tables missing or older than the program (1), newer (0)', skip, async t => {
  const [empty, { owner, settings }] = await Promise.all([createDatabase(t, { empty: true }), createMigrated(t)])
  const without = await examine({ ...SETTINGS, ...empty.settings })
  t.strictSame(without.of('problem'), ['migrations'])
  t.match(without.about('migrations'), /The database has no tables yet. Run gatehouse migrate/)

  const role = `stranger_to_${new URL(settings.DATABASE_URL).pathname.slice(1)}`
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'stranger'`)
  t.teardown(() => owner.query(`DROP ROLE ${role}`))
  const strange = Object.assign(new URL(settings.DATABASE_URL), { username: role, password: 'stranger' })
  t.match(
    (await examine({ ...SETTINGS, ...settings, DATABASE_URL: strange.href })).about('migrations'),
    /^problem: The role of DATABASE_URL may not read.*Run gatehouse migrate with this/
  )

  await owner.query('DELETE FROM schema_migrations WHERE version = 21')
  t.match(
    (await examine({ ...SETTINGS, ...settings })).about('migrations'),
    /^problem: 1 of \d+ migrations are not applied. Run gatehouse migrate/
  )
  await owner.query('INSERT INTO schema_migrations (version) SELECT generate_series(1, 21)')
  t.match((await examine({ ...SETTINGS, ...settings })).about('migrations'), /^ok/, 'a database of version 0.2')
  await owner.query('INSERT INTO schema_migrations (version) VALUES (9999)')
  t.match(
    await examine({ ...SETTINGS, ...settings }).then(({ code, about }) => ({ code, said: about('migrations') })),
    { code: 0, said: /^warning: The database has newer migrations/ }
  )
})

t.test('doctor: a role with too many and too few permissions (1)', skip, async t => {
  const { owner, settings } = await createMigrated(t)
  await owner.query(`
    GRANT UPDATE ON content TO gatehouse_app;
    REVOKE DELETE ON users FROM gatehouse_app;
    GRANT CREATE ON SCHEMA public TO gatehouse_app`)
  const { code, of, about } = await examine({ ...SETTINGS, ...settings })
  t.equal(code, 1)
  t.strictSame(of('problem'), ['rights'])
  t.match(about('rights'), /can create tables, has UPDATE on content.*lacks DELETE on users/s)
})

t.test('doctor: every table that the service cannot use is named (1)', skip, async t => {
  const { owner, settings } = await createMigrated(t)
  const { rows } = await owner.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND has_table_privilege('gatehouse_app', oid, 'SELECT')`)
  // Without this one, the migrations cannot be checked.
  const tables = rows.map(({ name }) => name).filter(name => name !== 'schema_migrations')
  t.ok(tables.length > 30)
  await owner.query(`REVOKE SELECT ON ${tables.join(', ')} FROM gatehouse_app`)
  const { about } = await examine({ ...SETTINGS, ...settings })
  t.strictSame(tables.filter(name => !about('rights').includes(`SELECT on ${name}`)), [])
})

t.test('doctor: no permission for the job queue (1)', skip, async t => {
  const { owner, settings } = await createMigrated(t)
  await owner.query(
    'REVOKE USAGE ON SCHEMA pgboss FROM gatehouse_app; REVOKE INSERT ON pgboss.job FROM gatehouse_app'
  )
  const { of, about } = await examine({ ...SETTINGS, ...settings })
  t.strictSame(of('problem'), ['rights'])
  t.match(about('rights'), /lacks INSERT on pgboss.job, USAGE on the schema pgboss. Run gatehouse migrate with/)
})

t.test('doctor: a clock that is an hour off (1)', skip, async t => {
  const { owner, settings } = await createMigrated(t)
  // The server's clock cannot be changed: a function hides it for this role in this database.
  await owner.query(`
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
      RETURN pg_catalog.clock_timestamp() - interval '1 hour';
    ALTER ROLE gatehouse IN DATABASE ${new URL(settings.DATABASE_URL).pathname.slice(1)}
      SET search_path = public, pg_catalog`)
  const { of, about } = await examine({ ...SETTINGS, ...settings })
  t.strictSame(of('problem'), ['clock of PostgreSQL'])
  t.match(about('clock of PostgreSQL'), /^problem: .*PostgreSQL differ by 3600 s.*NTP/)
  t.match(about('clock of Redis'), /^ok: The clocks .* Redis agree/)
})

t.test('doctor: connections of an instance and max_connections (0, 1)', skip, async t => {
  const { owner, settings } = await createMigrated(t)
  const about = async (DATABASE_POOL_MAX: string) => {
    const { code, about } = await examine({ ...SETTINGS, ...settings, DATABASE_POOL_MAX })
    return `${code} ${about('connections')}`
  }
  const allowed = 200 - 3
  t.match(
    await about('10'),
    '0 ok: Each instance opens up to 13 connections (DATABASE_POOL_MAX, 2 for the job queue and 1 for revocations), ' +
      `and PostgreSQL allows ${allowed}: enough for 15 instances.`
  )
  t.match(await about('96'), /^0 warning: .* up to 99 .*: enough for one instance, but not for two.*Lower DATABASE/)
  t.match(await about('195'), /^1 problem: .* up to 198 .*: too few for one instance. Lower DATABASE_POOL_MAX/)
  await owner.query(`ALTER DATABASE ${new URL(settings.DATABASE_URL).pathname.slice(1)} CONNECTION LIMIT 20`)
  t.match(await about('10'), /^0 warning: .*PostgreSQL allows 20: enough for one instance/)
})

t.test('doctor: Redis that evicts keys (0), Redis with a password (1)', skip, async t => {
  const { url } = await startRedis(t)
  const client = new Redis(url)
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
  t.match((await examine({ ...SETTINGS, REDIS_URL: url })).about('redis'), /^warning: Redis evicts counters/)
  await client.config('SET', 'requirepass', 'another')
  client.disconnect()
  t.match((await examine({ ...SETTINGS, REDIS_URL: withPassword(url) })).about('redis'), /^problem: .*WRONGPASS/)
})

t.test('doctor: SMTP login fails (1)', skip, async t => {
  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: (_auth, _session, done) => done(new Error('no')),
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => new Promise<void>(resolve => server.close(resolve)))
  const { of, about } = await examine({
    ...SETTINGS,
    SMTP_URL: `smtp://me:${PASSWORD}@127.0.0.1:${(server.server.address() as AddressInfo).port}`,
  })
  t.strictSame(of('problem'), ['mail'])
  t.match(about('mail'), /Invalid login/)
})

t.test('doctor: development settings, warnings only (0)', async t => {
  const { settings } = await createMigrated(t)
  const { code, of, about } = await examine({
    ...settings,
    JWT_SECRET,
    JWT_SECRET_PREVIOUS: randomBytes(64).toString('base64url'),
    PUBLIC_URL: 'http://127.0.0.1:1',
    TRUST_PROXY: '10.0.0.0/4',
  })
  t.equal(code, 0)
  t.strictSame(of('warning'), ['settings', 'JWT_SECRET_PREVIOUS', 'proxy', 'redis', 'mail', 'front end'])
  t.match(about('JWT_SECRET_PREVIOUS'), /JWT_SECRET_PREVIOUS are still accepted/)
})

t.test('doctor: hooks that answer, or do not', async t => {
  const application = await startApplication(t)
  const settings = { NODE_ENV: 'development', ...application.settings() }
  const { about } = await examine(settings)
  t.match(about('registration hook'), /^ok: The application answers/)
  t.match(about('sign-in hook'), /^ok/)
  t.match(application.asked, [{ type: 'hook.test' }, { type: 'hook.test' }])
  application.reset({ allowed: true })
  t.match(
    (await examine(settings)).about('sign-in hook'),
    /^problem: The application gives no answer that counts: The body has no "allow".*sign-ins are refused/
  )
  t.match((await examine({ ...settings, HOOK_SECRET: 'short' })).about('hooks'), /because of HOOK_SECRET/)
})

t.test('doctor: a list of breached passwords that works, does not respond, or has no such password', async t => {
  const [list, empty, broken] = [
    await startRangeServer(t, ['password']), await startRangeServer(t, []), await startRangeServer(t, ['password']),
  ]
  broken.misbehave(TROUBLE['responds with 429'])
  const said = async (url: string) =>
    (await examine({ NODE_ENV: 'development', BREACHED_PASSWORDS_URL: url })).about('breached passwords')
  t.match(await said(list.url), /^ok: The list of breached passwords responds/)
  t.match(await said(empty.url), /^problem: .*does not contain "password".*BREACHED_PASSWORDS_URL/)
  t.match(await said(broken.url), /^problem: .*status 429.*breached passwords are allowed/)
})
