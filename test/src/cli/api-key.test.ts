import t from 'tap'
import { buildOperatorApp } from '../../../src/operator-app.ts'
import { secrets } from '../../support/build.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { setUp } from '../../support/cli/users.ts'
import { gatehouse } from '../../support/process.ts'

const { app, cli, owner } = await setUp()
const operator = buildOperatorApp(app)
await operator.ready()
t.teardown(() => operator.close())
const key = (...args: string[]) => runCommand(app, ['api-key', ...args])

t.test('api-key add, list and end: shown once, listed with its scopes, refused at once (0)', async t => {
  const added = await cli(['api-key', 'add', 'desk', '--scope', 'users:read, events:read'])
  t.match(added, { code: 0, stdout: /^gh_[\w-]{43}\nKeep this key now/ })
  const value = added.stdout.split('\n')[0] as string
  secrets.add(value)
  const ask = () => operator.inject({ url: '/operator/api/v1/users', headers: { authorization: `Bearer ${value}` } })
  t.equal((await ask()).statusCode, 200)

  const listed = await key('list')
  t.match(listed, { code: 0, stdout: /^desk {2}last used .* UTC {2}users:read,events:read\n$/ })
  t.notMatch(listed.stdout, value)
  t.match(await key('end', 'desk'), { code: 0, stdout: 'The key desk is refused from now on.\n' })
  t.equal((await ask()).statusCode, 401)
  t.match(await key('end', 'desk'), { code: 1, stderr: /No such key/ })
  const { rows } = await owner.query("SELECT what, actor FROM auth_events WHERE subject = 'desk'")
  t.match(rows, ['key_added', 'key_ended'].map(what => ({ what, actor: 'command line' })))
})

t.test('api-key add: wrong names and scopes (2), a name that is taken (1)', async t => {
  t.match(await key('add', 'a b', '--scope', 'users:read'), { code: 2, stderr: /NAME must have/ })
  t.match(await key('add', 'desk', '--scope', 'users:all'), { code: 2, stderr: /--scope must list/ })
  t.match(await key('add', 'desk'), { code: 2, stderr: /--scope must list/ })
  t.match(await key('add', 'twice', '--scope', 'users:read'), { code: 0 })
  t.match(await key('add', 'twice', '--scope', 'users:read'), { code: 1, stderr: /There is a key with this name/ })
})

t.test('key and keys, the names of version 0.2: work and name the new ones (0)', async t => {
  for (const [former, present] of [['key', 'api-key'], ['keys', 'signing-key']] as const) {
    const { code, stdout, stderr } = await gatehouse([former, '--help'], {}).ended
    t.equal(code, 0)
    t.match(stdout, `Usage: gatehouse ${present} `)
    t.equal(stderr, `gatehouse ${former} is now gatehouse ${present}. The old name will go with the next version.\n`)
  }
})
