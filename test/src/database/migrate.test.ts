import t from 'tap'
import { migrate } from '../../../src/database/migrate.ts'
import { createDatabase, pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

const TABLES = [
  'account_data', 'account_totals', 'api_keys', 'application_consents', 'application_grants', 'application_secrets',
  'applications', 'audit_seals', 'auth_events', 'content', 'device_codes', 'event_readers', 'idempotency_keys',
  'identities',
  'imported_hashes', 'last_sign_ins', 'mail_alerts', 'mail_code_guesses', 'mail_codes', 'one_time_tokens',
  'openid_artifacts', 'operator_sessions',
  'operators', 'passkeys', 'recovery_codes', 'refresh_tokens', 'retired_signing_keys', 'revocations',
  'schema_migrations', 'sign_in_alarms', 'sign_in_counts', 'signing_keys', 'suspended_operators', 'totp',
  'used_challenges', 'users', 'webhook_deliveries', 'webhooks',
]

const invalidIndexes = async (owner: pg.Pool): Promise<string[]> => (await owner.query(
  'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid')).rows.map(({ name }) => name)

t.test('five instances at once migrate once', async t => {
  const { owner, settings } = await createDatabase(t, { empty: true })
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(settings)))
  t.equal(applied.filter(names => names.length > 0).length, 1)
  const { rows } = await owner.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
  t.strictSame(rows.map(row => row.tablename), TABLES)
})

t.test('gatehouse migrate: reports what it did; a second run does nothing', async t => {
  const { settings } = await createDatabase(t, { empty: true })
  const env = { ...settings, JWT_SECRET: 'kXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3pU4vX8yZ1aB5cD9eF2gH6iJ0kL3mN7oP1' }
  const first = await gatehouse(['migrate'], env).ended
  t.match(first, { code: 0, stdout: /Applied: 21 schema/ })
  t.match(await gatehouse(['migrate'], env).ended, { code: 0, stdout: /up to date/ })
})

t.test('a database of version 0.2: the checksum of its last migration is accepted, no other is', async t => {
  const { owner, settings } = await createDatabase(t)
  const setChecksum = (md5: string) => owner.query('UPDATE schema_migrations SET md5 = $1 WHERE version = 21', [md5])
  await setChecksum('4bfab4936fb6e6b67f226193c53ac1fa')
  t.strictSame(await migrate(settings), [])
  await setChecksum('4bfab4936fb6e6b67f226193c53ac1fb')
  await t.rejects(migrate(settings), /MD5 checksum failed for migration \[21\]/)
})

t.test('a database from before version 0.2 is refused', async t => {
  const { owner, settings } = await createDatabase(t)
  await owner.query('DELETE FROM schema_migrations; INSERT INTO schema_migrations (version) VALUES (0), (20)')
  await t.rejects(migrate(settings), /^The tables are older than version 0.2. Upgrade to version 0.2 first.$/)
})

t.test('a large table of version 0.2: indexes and last sign-ins are added while it is used', async t => {
  const { owner, settings } = await createDatabase(t)
  // As the migrations leave a database of version 0.2.
  await owner.query(`
    DROP INDEX users_search, users_created, users_disabled, users_unconfirmed;
    INSERT INTO users (username, email) VALUES ('ada', 'ada@example.com');
    INSERT INTO auth_events (what, user_id, created_at)
    SELECT 'sign_in', id, '2026-01-01'::timestamptz + n * interval '1 day' FROM users, generate_series(1, 3) n`)
  // An open transaction of version 0.2 that has written to the table: the index waits for it, requests do not.
  const other = await owner.connect()
  await other.query('BEGIN')
  await other.query("UPDATE users SET name = 'Ada'")
  const migrating = migrate(settings)
  const builds = 'SELECT FROM pg_stat_progress_create_index WHERE datname = current_database()'
  await eventually(async () => (await owner.query(builds)).rowCount, count => count === 1)
  await owner.query("INSERT INTO users (username, email) VALUES ('bob', 'bob@example.com')")
  await other.query('COMMIT')
  other.release()
  t.strictSame(await migrating, [])
  const { rows } = await owner.query('SELECT u.username, at FROM last_sign_ins JOIN users u ON u.id = user_id')
  t.strictSame(rows, [{ username: 'ada', at: new Date('2026-01-04T00:00:00Z') }])
  t.strictSame(await invalidIndexes(owner), [])
  const { rows: [index] } = await owner.query("SELECT indexdef FROM pg_indexes WHERE indexname = 'users_search'")
  t.match(index.indexdef, /USING gin \(trigrams\(lower/)
})

t.test('an index whose build was interrupted is built again', async t => {
  const { owner, settings } = await createDatabase(t)
  await owner.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_search'::regclass")
  t.strictSame(await invalidIndexes(owner), ['users_search'])
  t.strictSame(await migrate(settings), [])
  t.strictSame(await invalidIndexes(owner), [])
})

t.test('gatehouse migrate: the owner need not be a superuser', async t => {
  const { owner, settings } = await createDatabase(t, { empty: true })
  const { pathname } = new URL(settings.DATABASE_URL)
  const role = `owner_of_${pathname.slice(1)}`
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'owner' CREATEROLE`)
  t.teardown(() => owner.query(`REASSIGN OWNED BY ${role} TO postgres; DROP OWNED BY ${role}; DROP ROLE ${role}`))
  await owner.query(`ALTER DATABASE ${pathname.slice(1)} OWNER TO ${role}`)
  const url = new URL(settings.MIGRATION_DATABASE_URL)
  url.username = role
  url.password = 'owner'
  t.not((await migrate({ ...settings, MIGRATION_DATABASE_URL: url.href })).length, 0)
})

t.test('PostgreSQL denies the service role what it must not do', async t => {
  const { owner, settings } = await createDatabase(t, { empty: true })
  await migrate(settings)
  await owner.query("INSERT INTO content (slug, title, body) VALUES ('a', 'b', 'c')")
  const service = new pg.Client({ connectionString: settings.DATABASE_URL })
  await service.connect()
  t.teardown(() => service.end())

  t.equal((await service.query('SELECT FROM content')).rowCount, 1)
  const REFUSED = [
    "INSERT INTO content (slug, title, body) VALUES ('x', 'x', 'x')",
    "UPDATE content SET title = 'x'",
    'DELETE FROM content',
    'TRUNCATE content',
    'CREATE TABLE x (id int)',
    'CREATE TEMPORARY TABLE x (id int)',
    'CREATE SCHEMA x',
    'CREATE FUNCTION x() RETURNS int LANGUAGE sql RETURN 1',
    'ALTER TABLE users ADD COLUMN x int',
    'DROP TABLE users',
    'CREATE INDEX x ON users (name)',
    'TRUNCATE users',
    'CREATE ROLE x',
    'GRANT gatehouse_app TO postgres',
    'UPDATE auth_events SET what = \'nothing\'',
    "UPDATE schema_migrations SET name = 'x'",
  ]
  for (const sql of REFUSED) await t.rejects(service.query(sql), { code: '42501' }, sql)
})
