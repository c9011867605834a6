import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { setUp } from '../../support/cli/users.ts'
import { makeFolder } from '../../support/folder.ts'

const { app, owner, userHere, eventsOf } = await setUp()

t.test('user bulk: the number first, then a change of each account, and a report (0)', async t => {
  const users = await Promise.all(['crowd-a', 'crowd-b', 'crowd-c'].map(username => createUser(owner, { username })))
  const [first, , chief] = users as [typeof users[0], typeof users[0], typeof users[0]]
  await app.operators.add(chief.id, 'viewer')
  const search = ['--search', 'crowd-', '--state', 'active']
  t.match(await userHere(['bulk', 'disable', ...search, '--dry-run']), {
    code: 0, stdout: 'The search finds 3 accounts.\n',
  })
  t.match(await userHere(['bulk', 'disable', ...search, '--count', '2']), {
    code: 1, stderr: /The search finds 3 accounts\. Nothing was changed/,
  })
  t.strictSame(await eventsOf(first.id), [])
  const report = join(makeFolder(t, 'bulk'), 'skipped.ndjson')
  t.match(await userHere(['bulk', 'disable', ...search, '--count', '3', '--report', report]), {
    code: 0, stdout: /^id:\d+ crowd-c: This account is an operator.*\n2 changed, 0 unchanged, 1 skipped\.\n$/,
  })
  t.match(JSON.parse(readFileSync(report, 'utf8')), { id: chief.id, username: 'crowd-c' })
  t.strictSame(await eventsOf(first.id), ['account_disabled'])
  t.equal((await app.users.findById(chief.id))?.disabledAt, null)
})

t.test('user bulk: no action, no search, or a wrong value (2)', async t => {
  for (const args of [
    [], ['praise'], ['delete'], ['delete', '--state', 'gone'], ['delete', '--search', 'x', '--factors', 'many'],
  ]) t.match(await userHere(['bulk', ...args]), { code: 2 }, args.join(' '))
})

t.test('user bulk: without a writable report nothing changes; a failure in the middle leaves one (1)', async t => {
  await owner.query(`INSERT INTO users (email, username)
    SELECT 'mid' || n || '@example.com', 'middle' || n FROM generate_series(101, 201) n ORDER BY n`)
  const { rows } = await owner.query("SELECT id FROM users WHERE username LIKE 'middle%' ORDER BY id")
  await app.operators.add(rows[0].id, 'viewer')
  const disabled = async () => (await owner.query(
    "SELECT FROM users WHERE username LIKE 'middle%' AND disabled_at IS NOT NULL")).rowCount
  const folder = makeFolder(t, 'bulk')
  const run = (report: string) =>
    userHere(['bulk', 'disable', '--search', 'middle', '--count', '101', '--report', join(folder, report)])
  t.match(await run('missing/skipped.ndjson'), { code: 1, stderr: /report/ })
  t.equal(await disabled(), 0)

  await owner.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
    CREATE TRIGGER broken BEFORE UPDATE ON users FOR EACH ROW WHEN (OLD.id = ${rows[100].id}) EXECUTE FUNCTION fail()`)
  t.teardown(() => owner.query('DROP TRIGGER broken ON users; DROP FUNCTION fail()'))
  t.match(await run('skipped.ndjson'), { code: 1, stderr: /broken/ })
  t.equal(await disabled(), 99)
  t.match(JSON.parse(readFileSync(join(folder, 'skipped.ndjson'), 'utf8')), { id: rows[0].id })
})
