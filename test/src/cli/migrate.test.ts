import t from 'tap'
import { createDatabase, JWT_SECRET } from '../../support/build.ts'
import { runWith } from '../../support/cli/in-process.ts'
import { gatehouse } from '../../support/process.ts'

t.test('migrate without the right role: names the setting (1), with it (0)', async t => {
  const { owner, settings: { DATABASE_URL, MIGRATION_DATABASE_URL } } = await createDatabase(t, { empty: true })
  const env = { NODE_ENV: 'test', JWT_SECRET, DATABASE_URL }
  const [without, wrong, serving] = await Promise.all([
    gatehouse(['migrate'], env).ended,
    runWith({ ...env, MIGRATION_DATABASE_URL: DATABASE_URL }, ['migrate']),
    gatehouse(['serve'], { ...env, PORT: '0', MIGRATE_ON_START: 'true' }).ended,
  ])
  const ADVICE = 'permission denied for schema public. Set MIGRATION_DATABASE_URL to a role that owns the database'
  t.match(without, { code: 1, stdout: '' })
  t.match(
    without.stderr,
    `MIGRATION_DATABASE_URL is not set, and the role of DATABASE_URL does not own the tables: ${ADVICE}`
  )
  t.equal(without.stderr.split('\n').length, 2, 'one line')
  t.match(wrong, { code: 1, stdout: '' })
  t.match(wrong.stderr, `The role of MIGRATION_DATABASE_URL does not have the privileges for the migrations: ${ADVICE}`)
  t.match(serving, { code: 1, stderr: without.stderr })
  t.equal((await owner.query("SELECT FROM pg_tables WHERE schemaname = 'public'")).rowCount, 0)

  t.match(await gatehouse(['migrate'], { ...env, MIGRATION_DATABASE_URL }).ended, { code: 0, stdout: /^Applied: 21/ })
  t.match(await runWith(env, ['migrate']), { code: 1, stderr: /MIGRATION_DATABASE_URL is not set/ })
})
