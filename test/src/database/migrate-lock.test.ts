import t, { type Test } from 'tap'
import { migrate } from '../../../src/database/migrate.ts'
import { createDatabase, pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

// The tests mostly wait for a lock, so they run concurrently.
t.jobs = 3

const LOCKED = /^Another program used a table for more than 5s\. Nothing has changed\. Run the/
const UNDO_LAST = `
  DROP TABLE account_data; DROP FUNCTION announce_account_data; ALTER TABLE revocations DROP COLUMN changed_account;
  DELETE FROM schema_migrations WHERE version >= 41`
const WAITS = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

async function connect (t: Test, connectionString?: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  t.teardown(() => client.end())
  return client
}

t.test('a new table that another program creates: the migration ends in one line, nothing has changed', async t => {
  const { owner, settings } = await createDatabase(t, { empty: true })
  const other = await connect(t, settings.MIGRATION_DATABASE_URL)
  await other.query('BEGIN; CREATE TABLE content ()')

  await t.rejects(migrate(settings), LOCKED)
  const { rows } = await owner.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  t.strictSame(rows, [])
})

t.test('a table that another program reads: the same, and requests go on in between', async t => {
  const { owner, settings } = await createDatabase(t)
  await owner.query(UNDO_LAST)
  const backup = await connect(t, settings.MIGRATION_DATABASE_URL)
  await backup.query('BEGIN; SELECT FROM users')

  const request = await connect(t, settings.MIGRATION_DATABASE_URL)
  await request.query("SET lock_timeout = '3s'")
  const migration = t.rejects(migrate(settings), LOCKED)
  for (let round = 1; round <= 3; round++) {
    await eventually(() => owner.query(WAITS), ({ rowCount }) => rowCount === 1)
    await t.resolves(request.query('SELECT FROM operators'))
  }
  await migration
  t.match(await owner.query('SELECT max(version)::int AS version FROM schema_migrations'), { rows: [{ version: 40 }] })
})

t.test('a request that has used one table and needs another: neither it nor the migration is ended', async t => {
  const { owner, settings } = await createDatabase(t)
  await owner.query(UNDO_LAST)
  const request = await connect(t, settings.MIGRATION_DATABASE_URL)
  await request.query('BEGIN; SELECT FROM revocations')

  const migration = migrate(settings)
  await eventually(() => owner.query(WAITS), ({ rowCount }) => rowCount === 1)
  await t.resolves(request.query('UPDATE users SET name = NULL; COMMIT'))
  t.strictSame(await migration, ['41 account-data', '42 session-limit'])
})
