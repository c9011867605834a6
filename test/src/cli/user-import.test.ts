import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createProgress } from '../../../src/cli/terminal/progress.ts'
import { createUser, hashOf, PASSWORD } from '../../support/browser.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { setUp } from '../../support/cli/users.ts'
import { makeFolder } from '../../support/folder.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'

const { app, env, owner } = await setUp()
const user = (args: string[]) => runCommand(app, ['user', ...args])
const folder = makeFolder(t)
const count = async () => Number((await owner.query('SELECT count(*) FROM users')).rows[0].count)

/** What the command prints. */
async function exported (options: { withHashes: boolean }): Promise<Array<Record<string, unknown>>> {
  const pages = []
  for await (const page of app.accountExport(options)) pages.push(...page)
  return JSON.parse(JSON.stringify(pages))
}

function write (name: string, rows: object[]): string {
  const file = join(folder, name)
  writeFileSync(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  return file
}

t.test('user import: wrong arguments (2), unreadable files (1)', async t => {
  for (const [args, code, message] of [
    [['import'], 2, 'Missing: FILE'],
    [['import', 'users.txt'], 2, '--format must be one of ndjson, csv, json'],
    [['import', 'users.csv', '--from', 'constructor'], 2, '--from must be one of auth0, firebase, keycloak'],
    [['import', join(folder, 'none.csv')], 1, /Cannot read .*none\.csv: ENOENT/],
  ] as const) t.match(await user([...args]), { code, stderr: message })
})

t.test('user import: killed in the middle, started again: every account once (0)', async t => {
  const rows = Array.from({ length: 10_000 }, (_, number) => ({ email: `person${number}@example.com` }))
  const file = write('many.ndjson', rows)
  const first = gatehouse(['user', 'import', file], env)
  await eventually(count, counted => counted > 0)
  first.child.kill('SIGKILL')
  await first.ended
  const before = await count()
  t.equal(before % 1_000, 0, 'whole batches')
  const { code, stdout } = await user(['import', file, '--json'])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { rows: 10_000, added: 10_000 - before, existing: before, refused: 0 })
  t.equal(await count(), 10_000)
  const { rows: [events] } = await owner.query("SELECT count(*) FROM auth_events WHERE what = 'imported'")
  t.equal(Number(events.count), 10_000)
  await owner.query('DELETE FROM users; DELETE FROM auth_events')
})

t.test('user export: the same accounts after an import elsewhere, hashes only with --with-hashes (0)', async t => {
  const password = await hashOf(PASSWORD)
  const created = [
    await createUser(owner, { username: 'ada', name: 'Ada "Lovelace"\u2028', password_hash: password }),
    await createUser(owner, { username: 'bea', email_verified_at: null }),
    await createUser(owner, { username: 'cleo', disabled_at: new Date() }),
    await createUser(owner, { username: 'dora', password_hash: null, provider: 'provider_a', provider_a_id: '1' }),
  ]
  await owner.query('INSERT INTO account_data (user_id, data) VALUES ($1, $2)', [created[0]?.id, '{"roles":["a"]}'])
  await owner.query("UPDATE users SET language = 'de', time_zone = 'Europe/Berlin' WHERE username = 'ada'")
  const plain = await exported({ withHashes: false })
  t.equal(plain.length, 4)
  t.notMatch(JSON.stringify(plain), /password_hash|\$2b\$/)

  const { code, stdout, stderr } = await gatehouse(['user', 'export', '--with-hashes'], env).ended
  t.match({ code, stderr }, { code: 0, stderr: '' })
  const lines = stdout.trim().split('\n').map(line => JSON.parse(line))
  t.match(lines, created.map(({ username, email, name }) => ({ username, email, name })))
  t.strictSame([lines[0].data, lines[1].data], [{ roles: ['a'] }, null])
  t.match(lines[0], { language: 'de', time_zone: 'Europe/Berlin' })
  t.match(lines[3], { password_hash: null, providers: ['provider_a'] })
  const file = write('exported.ndjson', lines)
  t.match(await user(['import', file]), { code: 0, stdout: /: 0 added, 4 exist already, 0 refused\.\nNothing/ })

  await owner.query('DELETE FROM users')
  t.match(await user(['import', file]), { code: 0, stdout: '4 rows: 4 added, 0 exist already, 0 refused.' })
  const again = await exported({ withHashes: true })
  const comparable = ({ id: _, providers: __, ...account }: Record<string, unknown>) => account
  t.strictSame(again.map(comparable), lines.map(comparable).map(account =>
    ({ ...account, name: account.name && 'Ada "Lovelace"', password_hash: account.password_hash ?? '!' })))
})

t.test('user import --map: the old and the new id of each account, also of those that existed (0)', async t => {
  await owner.query('DELETE FROM users')
  const rows = Array.from({ length: 1_001 }, (_, number) =>
    ({ username: `moved${number}`, email: `moved${number}@example.com`, external_id: `customer-${number}` }))
  const special = [
    { id: 7, username: 'numbered', email: 'numbered@example.com', external_id: 'not-this-one' },
    { id: 'a,"b"\nz', username: 'quoted', email: 'quoted@example.com' },
    { username: 'without', email: 'without@example.com' },
  ]
  const [file, map] = [write('moved.ndjson', [...special, ...rows]), join(folder, 'ids.csv')]
  t.match(await user(['import', write('some.ndjson', rows.slice(0, 500))]), { code: 0 })
  for (const run of ['first', 'second']) {
    t.match(await user(['import', file, '--map', map]), { code: 0, stdout: ' 0 refused' }, run)
    const { rows: accounts } = await owner.query('SELECT id, username, external_id FROM users')
    const idOf = new Map(accounts.map(({ id, username }) => [username, id]))
    const expected = ['old_id,new_id', `7,${idOf.get('numbered')}`, `"a,""b""\nz",${idOf.get('quoted')}`,
      ...rows.map(({ username, external_id: id }) => `${id},${idOf.get(username)}`)]
    t.strictSame(readFileSync(map, 'utf8').trimEnd().split(/\n(?!z)/).sort(), expected.sort(), run)
  }
  t.equal(statSync(map).mode & 0o777, 0o600)
  t.match(await user(['import', file, '--map', map, '--dry-run']), { code: 2, stderr: 'leave out --map' })
  t.match(await user(['show', 'external:customer-3', '--json']), { code: 0, stdout: /"username": "moved3"/ })
  t.match(await user(['show', 'external:customer-3']), { code: 0, stdout: /^external {2}customer-3$/m })
  t.match(await user(['show', 'external:nobody']), { code: 1, stderr: 'No such user' })
  const { stdout } = await user(['list', '--search', 'customer-3', '--json'])
  t.match(JSON.parse(stdout), { users: { length: 1, 0: { username: 'moved3', externalId: 'customer-3' } } })
  await owner.query('DELETE FROM users')
})

t.test('docs/moving.md: the statements replace the ids in a table of the application', async t => {
  const [, statements = ''] = readFileSync('docs/moving.md', 'utf8').match(/```sql\n([^]*?)```/) ?? []
  const client = await owner.connect()
  t.teardown(() => client.release())
  await client.query('CREATE TEMPORARY TABLE orders (user_id uuid)')
  await client.query('INSERT INTO orders VALUES (gen_random_uuid()), (NULL)')
  // The command of psql.
  const insert = 'INSERT INTO ids SELECT user_id, 42 FROM orders WHERE user_id IS NOT NULL;'
  const copied = statements.replace(/\\copy ids .*/, insert)
  t.not(copied, statements)
  const results = await client.query(copied) as unknown as Array<{ command: string, rows: unknown[] }>
  t.strictSame(results.find(({ command }) => command === 'SELECT')?.rows, [{ without_account: '0' }])
  const { rows } = await client.query('SELECT account_id FROM orders WHERE user_id IS NOT NULL')
  t.strictSame(rows, [{ account_id: '42' }])
  await client.query('DROP TABLE orders, ids')
})

t.test('user import: a report of refused rows (1)', async t => {
  const rows = Array.from({ length: 150 }, (_, number) => ({ email: `\u001b[2J${number}` }))
  const report = join(folder, 'report.ndjson')
  const { code, stdout } = await user(['import', write('wrong.ndjson', rows), '--report', report])
  t.equal(code, 1)
  t.match(stdout, /^line 1: Invalid .*\n/)
  t.match(stdout, /\nand 50 more: --report FILE writes them all\n150 rows: 0 added, 0 exist already, 150 refused\.\n$/)
  const lines = readFileSync(report, 'utf8').trim().split('\n').map(line => JSON.parse(line))
  t.equal(lines.length, 150)
  t.match(lines[149], { line: 150, reason: /^Invalid/ })
})

t.test('progress: a bar in a terminal, lines elsewhere', async t => {
  const written: string[] = []
  const write = (text: string | Uint8Array) => Boolean(written.push(String(text)))
  const bar = createProgress(200, 'rows', { isTTY: true, columns: 200, write })
  bar.update(50, 10)
  bar.end()
  t.match(written[0], /\[#{6}-{18}\] 25 %, 10 rows, [\d,]+ a second/)
  t.equal(written[1], '\r\u001b[K')
  written.length = 0
  const lines = createProgress(200, 'rows', { isTTY: false, columns: 80, write })
  lines.update(50, 10)
  lines.end()
  t.strictSame(written, [], 'the first line comes after ten seconds')
})
