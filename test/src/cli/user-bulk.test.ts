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
