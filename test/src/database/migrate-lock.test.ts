import t from 'tap'
import { migrate } from '../../../src/database/migrate.ts'
import { createDatabase, pg } from '../../support/build.ts'

t.test('a table that another program uses: the migration ends in one line, nothing has changed', async t => {
  const { owner, settings } = await createDatabase(t)
  await owner.query('DELETE FROM schema_migrations WHERE version >= 6')
  const backup = new pg.Client({ connectionString: settings.MIGRATION_DATABASE_URL })
  await backup.connect()
  t.teardown(() => backup.end())
  await backup.query('BEGIN')
  await backup.query('SELECT FROM refresh_tokens')

  await t.rejects(migrate(settings), /^Another program used a table for more than 5s\. Nothing has changed\. Run the/)
  const { rows } = await owner.query('SELECT max(version)::int AS version FROM schema_migrations')
  t.strictSame(rows, [{ version: 5 }])
})
