import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { setUp } from '../../support/cli/users.ts'

const { owner, user, userHere } = await setUp()

const list = async (...args: string[]) => {
  const { code, stdout, stderr } = await userHere(['list', ...args, '--json'])
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as { users: Array<{ id: string, username: string }>, next: string | null }
}

t.test('user list: no users (0)', async t => {
  t.match(await user(['list']), { code: 0, stdout: 'No users found.\n' })
  t.strictSame(JSON.parse((await user(['list', '--json'])).stdout), { users: [], next: null })
})

t.test('user list: pages, search and filters (0)', async t => {
  const created = []
  for (const [username, fields] of [
    ['ada', { name: '\u001b[2JLovelace' }],
    ['bea_100%', { password_hash: null, provider: 'provider_a', provider_a_id: '1' }],
    ['cleo', { email_verified_at: null }],
    ['dora', { disabled_at: new Date() }],
  ] as const) {
    const email = `${username.slice(0, 3)}@example.com`
    created.push(await createUser(owner, { username, email, ...fields }))
  }
  const ids = created.map(({ id }) => id)

  const first = await list('--limit', '3')
  t.match(first, { users: [{ id: ids[0], username: 'ada' }, { id: ids[1] }, { id: ids[2] }], next: ids[2] })
  t.match(first.users[1], { hasPassword: false, provider: 'provider_a', email: 'bea@example.com', createdAt: /Z$/ })
  t.match(await list('--limit', '3', '--after', String(first.next)), { users: [{ username: 'dora' }], next: null })
  t.match(await list('--limit', '4'), { next: null }, 'a full page is not followed by an empty one')

  const found = async (...args: string[]) => (await list(...args)).users.map(({ username }) => username)
  t.strictSame(await found('--search', 'LOVE'), ['ada'], 'name')
  t.strictSame(await found('--search', 'cle@EXAMPLE'), ['cleo'], 'email')
  t.strictSame(await found('--search', 'a_'), ['bea_100%'], 'no wildcards')
  t.strictSame(await found('--search', '%'), ['bea_100%'])
  t.strictSame(await found('--search', '\\'), [])
  t.strictSame(await found('--disabled'), ['dora'])
  t.strictSame(await found('--unconfirmed'), ['cleo'])
  t.strictSame(await found('--unconfirmed', '--search', 'ada'), [])

  const { stdout } = await userHere(['list', '--limit', '3'])
  const lines = stdout.trim().split('\n').map(line => line.split(/ {2,}/))
  t.match(lines, [
    ['ID', 'USERNAME', 'EMAIL', 'STATE', 'CREATED'],
    [ids[0], 'ada', 'ada@example.com', 'enabled', /^\d{4}-\d\d-\d\d$/],
    [ids[1], 'bea_100%', 'bea@example.com', 'enabled'],
    [ids[2], 'cleo', 'cle@example.com', 'unconfirmed'],
    [`There are more users. Add --after ${ids[2]} for the next page.`],
  ])
  t.notMatch(stdout + JSON.stringify(first), '$2b$')
})
