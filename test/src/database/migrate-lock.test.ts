import t from 'tap'
import { migrate } from '../../../src/database/migrate.ts'
import { createDatabase, pg } from '../../support/build.ts'

t.test('a table that another program uses: the migration ends in one line, nothing has changed', async t => {
  const { owner, settings } = await createDatabase(t, { empty: true })
  const other = new pg.Client({ connectionString: settings.MIGRATION_DATABASE_URL })
  await other.connect()
  t.teardown(() => other.end())
  await other.query('BEGIN; CREATE TABLE content ()')

  await t.rejects(migrate(settings), /^Another program used a table for more than 5s\. Nothing has changed\. Run the/)
  const { rows } = await owner.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  t.strictSame(rows, [])
})
