import t from 'tap'
import { COUNT_MATCHES, SEARCH } from '../../plugins/records/accounts/user-search.ts'
import { createDatabase } from '../support/build.ts'
import { buildSharedOperator } from '../support/operator.ts'

const FILL = `
  INSERT INTO users (email, username)
  SELECT 'person' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'User' ELSE 'user' END || n
  FROM generate_series(1, $1::int) n`

interface Page { users: Array<{ id: string, username: string, email: string }>, next: string | null, count: number }

t.test('GET /users?q=: the beginning of a username or an email, in pages, each account once (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(FILL, [30])
  await owner.query(`INSERT INTO users (email, username) VALUES
    ('User1@example.org', 'user1'), ('o%_\\@example.com', 'zz'), ('USER3@example.net', 'mallory')`)
  const found: string[] = []
  let cursor = ''
  let pages = 0
  do {
    const query = new URLSearchParams({ q: 'uSer', limit: '7', ...(cursor && { cursor }) })
    const page: Page = (await api('GET', `/users?${query}`)).json()
    t.equal(page.count, 32)
    found.push(...page.users.map(({ id }) => id))
    cursor = page.next ?? ''
    pages++
  } while (cursor)
  t.equal(pages, 5)
  t.equal(new Set(found).size, 32)
  t.equal(found.length, 32)

  const usernames = async (q: string) =>
    (await api('GET', `/users?${new URLSearchParams({ q })}`)).json<Page>().users.map(({ username }) => username)
  t.strictSame(await usernames('user30'), ['User30'])
  t.strictSame(await usernames('person30@'), ['User30'])
  t.strictSame(await usernames('o%_\\'), ['zz'], 'no wildcards')
  t.strictSame(await usernames('%'), [])
  t.strictSame(await usernames("' OR 1=1 --"), [])
  t.strictSame(await usernames('ser'), [], 'only the beginning')
})

t.test('GET /users?q=: letters beyond ASCII, and those that another collation orders differently (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  const names = ['zoe', 'Zoë', 'Zoëlle', 'zoya', 'Ünal', '名前', '🏰 castle', 'a-b', 'a_b', 'ab', 'A.b']
  for (const [number, name] of names.entries()) {
    await owner.query('INSERT INTO users (email, username) VALUES ($1, $2)', [`n${number}@example.com`, name])
  }
  const found = async (q: string) => (await api('GET', `/users?${new URLSearchParams({ q })}`)).json<Page>()
    .users.map(({ username }) => username).sort()
  t.strictSame(await found('zo'), ['Zoë', 'Zoëlle', 'zoe', 'zoya'])
  t.strictSame(await found('Zoë'), ['Zoë', 'Zoëlle'])
  t.strictSame(await found('ZOE'), ['zoe'])
  for (const name of names) t.ok((await found(name)).includes(name), name)
  t.strictSame(await found('a'), ['A.b', 'a-b', 'a_b', 'ab'])
  t.strictSame(await found('ab'), ['ab'], 'punctuation counts')
})

t.test('GET /users: all, newest first, and a count that stops at 1,000 (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(FILL, [1_005])
  const first = (await api('GET', '/users?limit=100')).json()
  t.match(first, { count: 1_000, isCountExact: false, users: { length: 100 } })
  t.equal(first.users[0].username, 'user1005')
  t.match(first.users[0], { emailVerifiedAt: null, disabledAt: null, createdAt: /^\d{4}-.*Z$/ })
  const second = (await api('GET', `/users?limit=100&cursor=${first.next}`)).json()
  t.equal(second.users[0].username, 'user905')
})

t.test('GET /users: cursors and filters that clients made up (400)', async t => {
  const { api } = await buildSharedOperator(t)
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const query of [
    'limit=0', 'limit=101', 'limit=1%20OR%201', 'offset=3', 'q=%00', `q=${'a'.repeat(255)}`,
    'cursor=x', `cursor=${cursorOf(null)}`, `cursor=${cursorOf(['', "1' OR '1'='1"])}`, `cursor=${cursorOf([1, 2])}`,
    `q=a&cursor=${cursorOf(['a'.repeat(300), '1'])}`, `cursor=${cursorOf(['', '9'.repeat(30)])}`,
  ]) t.equal((await api('GET', `/users?${query}`)).statusCode, 400, query)
  const injected = cursorOf(["a') OR 1=1 --", '0'])
  t.match((await api('GET', `/users?q=a&cursor=${injected}`)).json(), { users: [] })
})

t.test('the search and its count use the indexes', async t => {
  const { owner } = await createDatabase(t)
  await owner.query(FILL, [20_000])
  await owner.query('ANALYZE users')
  const planOf = async (text: string, values: unknown[]) =>
    JSON.stringify((await owner.query(`EXPLAIN (FORMAT JSON) ${text}`, values)).rows)
  const search = await planOf(SEARCH, ['user12', '', '0', 51])
  t.match(search, '"Index Name":"users_username_search"')
  t.match(search, '"Index Name":"users_email_search"')
  t.notMatch(search, 'Seq Scan')
  t.notMatch(await planOf(COUNT_MATCHES, ['user123']), 'Seq Scan')
})
