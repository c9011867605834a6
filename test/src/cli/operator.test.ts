import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { setUp } from '../../support/cli/users.ts'
import { addTotp } from '../../support/second-factor.ts'

const { app, cli, owner } = await setUp()
const operator = (...args: string[]) => runCommand(app, ['operator', ...args])

t.test('operator add, list and remove (0), and what cannot be done (1)', async t => {
  const ada = await createUser(owner, { username: 'ada' })
  t.match(await operator('list'), { code: 0, stdout: 'There are no operators.\n' })
  const added = await cli(['operator', 'add', 'ada'])
  t.match(added, { code: 0, stdout: /^ada is an operator, with the role administrator\. .* has no second factor/ })
  t.match(await operator('list'), {
    stdout: 'ada  ada@example.com  administrator  has no second factor: cannot sign in\n',
  })
  await addTotp(owner, ada.id)
  t.match(await operator('add', ada.email), {
    code: 0,
    stdout: 'ada was an operator already, with the role administrator.\n',
  })
  t.match(await operator('list'), { stdout: 'ada  ada@example.com  administrator\n' })
  t.equal(await app.operators.has(ada.id), true)
  t.match(await operator('remove', 'ada'), { code: 0, stdout: 'ada is not an operator any more.\n' })
  const { rows } = await owner.query('SELECT what, actor FROM auth_events WHERE user_id = $1 ORDER BY id', [ada.id])
  t.strictSame(rows, ['operator_added', 'operator_removed'].map(what => ({ what, actor: 'command line' })))
  t.match(await operator('remove', 'ada'), { code: 1, stderr: /is not an operator/ })
  t.match(await operator('add', 'nobody-here'), { code: 1, stderr: /No such user/ })
})

t.test('operator role: given and changed, with an event that names it (0), or refused (1, 2)', async t => {
  const eve = await createUser(owner, { username: 'eve' })
  t.match(await operator('role', 'eve', 'support'), { code: 1, stderr: /eve is not an operator\. Use .* operator add/ })
  t.match(await operator('add', 'eve', '--role', 'chief'), { code: 2, stderr: /viewer, support, administrator/ })
  t.equal(await app.operators.roleOf(eve.id), undefined)
  const added = await operator('add', 'eve', '--role', 'viewer', '--json')
  t.match(JSON.parse(added.stdout), { username: 'eve', role: 'viewer', added: true })
  t.match(await operator('add', 'eve'), { stdout: /^eve was an operator already, with the role viewer\./ })
  t.match(await operator('role', 'eve', 'administrator'), { code: 0, stdout: 'eve has the role administrator.\n' })
  t.match(await operator('role', 'eve', 'administrator'), { code: 0, stdout: 'eve had the role administrator.\n' })
  t.match(await operator('role', 'eve', 'owner'), { code: 2, stderr: /ROLE must be one of/ })
  const { rows } = await owner.query(
    'SELECT what, subject, actor FROM auth_events WHERE user_id = $1 ORDER BY id', [eve.id])
  t.strictSame(rows, [
    { what: 'operator_added', subject: 'viewer', actor: 'command line' },
    { what: 'operator_role_changed', subject: 'administrator', actor: 'command line' },
  ])
})
