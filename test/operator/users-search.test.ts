import type pg from 'pg'
import t from 'tap'
import { findQuery, type UserFilter } from '../../plugins/records/accounts/user-filter.ts'
import { filterOf, listQuery } from '../../plugins/records/accounts/user-list.ts'
import { countNextQuery, pageQuery, partsOf, type ListPart } from '../../plugins/records/accounts/user-order.ts'
import { createUser } from '../support/browser.ts'
import { build, createDatabase } from '../support/build.ts'
import { buildSharedOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { addTotp } from '../support/second-factor.ts'

const FILL = `
  INSERT INTO users (email, username)
  SELECT 'person' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'User' ELSE 'user' END || n
  FROM generate_series(1, $1::int) n`

interface Page {
  users: Array<{ id: string, username: string, email: string, lastSignInAt: string | null, secondFactors: string[] }>
  next: string | null
  count: number
}
type Api = Awaited<ReturnType<typeof buildSharedOperator>>['api']

const pageOf = async (api: Api, query: Record<string, string>) =>
  (await api('GET', `/users?${new URLSearchParams(query)}`)).json<Page>()
const usernames = async (api: Api, query: Record<string, string>) =>
  (await pageOf(api, query)).users.map(({ username }) => username)

/** All pages. `between` runs after the first. */
async function allPages (api: Api, query: Record<string, string>, between = async () => {}) {
  const found: string[] = []
  for (let cursor = ''; ;) {
    const page = await pageOf(api, { ...query, ...(cursor && { cursor }) })
    found.push(...page.users.map(({ username }) => username))
    if (!cursor) await between()
    if (!page.next) return found
    cursor = page.next
  }
}

t.test('GET /users?q=: any part of a username, a name or an email, each account once (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(FILL, [30])
  await owner.query(`INSERT INTO users (email, username, name) VALUES
    ('User1@example.org', 'user1', NULL), ('o%_\\@example.com', 'zz', 'Ada Lovelace'),
    ('USER3@example.net', 'mallory', 'A100% real_name')`)
  const found = await allPages(api, { q: 'uSer', limit: '7' })
  t.equal(found.length, 32)
  t.equal((await pageOf(api, { q: 'uSer', limit: '7' })).count, 32)
  t.strictSame(await usernames(api, { q: 'user30' }), ['User30'])
  t.strictSame(await usernames(api, { q: 'son30@' }), ['User30'], 'the middle of an email')
  t.strictSame(await usernames(api, { q: 'LOVE' }), ['zz'], 'the middle of a name')
  t.strictSame(await usernames(api, { q: 'ada lovelace' }), ['zz'])
  t.strictSame(await usernames(api, { q: 'allory' }), ['mallory'])
  t.strictSame(await usernames(api, { q: 'mallory user3' }), [], 'no text across two fields')
  t.strictSame((await usernames(api, { q: 'user1' })).slice(0, 2).sort(), ['user1', 'user1'], 'the same text first')
})

t.test('GET /users?q=: LIKE metacharacters and quotes are text (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(`INSERT INTO users (email, username, name) VALUES
    ('o%_\\@example.com', 'zz', NULL), ('b@example.net', 'mallory', 'A100% real_name'),
    ('c@example.net', 'abc', 'xyz')`)
  for (const [q, expected] of [
    ['o%_\\', ['zz']], ['%_\\', ['zz']], ['100%', ['mallory']], ['l_n', ['mallory']], ['a_c', []], ['%%%', []],
    ['___', []], ['\\\\\\', []], ['%', []], ['_', []], ['\\', []], ["' OR 1=1 --", []], ["'; DROP TABLE users", []],
    ['{abc}', []], ['"abc"', []], ['$1::text', []],
  ] as const) t.strictSame(await usernames(api, { q }), expected, q)
})

t.test('GET /users?q=: one or two characters find what begins with them (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(`INSERT INTO users (email, username, name) VALUES
    ('ab@example.com', 'one', 'x'), ('x@example.com', 'Abel', 'x'), ('y@example.com', 'cab', 'ab'),
    ('z@example.com', 'a', 'x')`)
  t.strictSame((await usernames(api, { q: 'AB' })).sort(), ['Abel', 'one'])
  t.strictSame((await usernames(api, { q: 'a' })), ['a', 'Abel', 'one'], 'the same text first, then the newest')
  t.strictSame((await usernames(api, { q: 'cab' })), ['cab'])
})

t.test('GET /users?q=: letters beyond ASCII, and punctuation (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  const names = ['zoe', 'Zoë', 'Zoëlle', 'zoya', 'Ünal', '名前', '🏰 castle', 'a-b', 'a_b', 'ab', 'A.b', '山田太郎']
  for (const [number, name] of names.entries()) {
    await owner.query('INSERT INTO users (email, username) VALUES ($1, $2)', [`n${number}@example.com`, name])
  }
  const found = async (q: string) => (await usernames(api, { q })).sort()
  t.strictSame(await found('zo'), ['Zoë', 'Zoëlle', 'zoe', 'zoya'])
  t.strictSame(await found('ZOË'), ['Zoë', 'Zoëlle'])
  t.strictSame(await found('ZOE'), ['zoe'])
  t.strictSame(await found('田太郎'), ['山田太郎'])
  t.strictSame(await found('🏰 C'), ['🏰 castle'])
  for (const name of names) t.ok((await found(name)).includes(name), name)
  t.strictSame(await found('a'), ['A.b', 'a-b', 'a_b', 'ab'])
  t.strictSame(await found('a-b'), ['a-b'], 'punctuation counts')
})

t.test('GET /users: by the whole external id, as a filter and as the text of a search (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(FILL, [600])
  await owner.query(`INSERT INTO users (email, username, external_id, created_at) VALUES
    ('a@example.org', 'ada', 'auth0|Ab12', '2020-01-01'), ('b@example.org', 'bob', 'person', '2020-01-01'),
    ('c@example.org', 'cyd', '7', '2020-01-01')`)
  for (const [query, expected] of [
    [{ externalId: 'auth0|Ab12' }, ['ada']], [{ externalId: 'auth0|ab12' }, []], [{ externalId: 'auth0' }, []],
    [{ externalId: "' OR ''='" }, []], [{ externalId: 'auth0|Ab12', state: 'disabled' }, []],
    [{ q: 'auth0|Ab12' }, ['ada']], [{ q: 'auth0|ab12' }, []], [{ q: 'h0|Ab12' }, []],
    [{ q: 'auth0|Ab12', state: 'disabled' }, []], [{ q: '7' }, ['cyd']],
  ] as Array<[Record<string, string>, string[]]>) {
    const { users, count } = await pageOf(api, query)
    t.strictSame(users.map(({ username }) => username), expected, JSON.stringify(query))
    t.equal(count, expected.length)
  }
  t.equal((await usernames(api, { q: 'person', limit: '2' }))[0], 'bob', 'before those that contain the text')
  t.match((await pageOf(api, { externalId: '7' })).users, [{ externalId: '7' }])
})

t.test('GET /users: all, newest first, and a count that stops at 1,000 (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(FILL, [1_005])
  const first = (await api('GET', '/users?limit=100')).json()
  t.match(first, { count: 1_000, isCountExact: false, users: { length: 100 } })
  t.equal(first.users[0].username, 'user1005')
  t.match(first.users[0], { emailVerifiedAt: null, disabledAt: null, createdAt: /^\d{4}-.*Z$/ })
  t.match(first.users[0], { secondFactors: [], lastSignInAt: null })
  const second = (await api('GET', `/users?limit=100&cursor=${first.next}`)).json()
  t.equal(second.users[0].username, 'user905')
  const many = await pageOf(api, { q: 'example', limit: '2' })
  t.match(many, { count: 1_000, isCountExact: false, users: [{ username: 'user1005' }, { username: 'User1004' }] })
  t.equal(new Set(await allPages(api, { q: 'person', limit: '100' })).size, 1_005)
  for (const sort of ['username', 'lastSignIn', '-created']) {
    t.equal(new Set(await allPages(api, { q: 'person', sort, limit: '100' })).size, 1_005, sort)
  }
})

t.test('GET /users?q=: a text that many have, near and far from the cursor, in each order (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(FILL, [3_200])
  await owner.query("INSERT INTO last_sign_ins SELECT id, now() - id * interval '1 hour' FROM users WHERE id % 2 = 0")
  // From either end of an order, more accounts than are looked at together may come before the first one that has it.
  for (const q of ['person1', 'person2']) {
    const { rows } = await owner.query('SELECT username FROM users WHERE email LIKE $1', [`${q}%`])
    for (const sort of ['', 'created', 'username', '-username', 'lastSignIn', '-lastSignIn']) {
      const found = await allPages(api, { q, limit: '100', ...(sort && { sort }) })
      t.equal(found.length, rows.length, `${q} ${sort}`)
      t.equal(new Set(found).size, rows.length, 'each once')
    }
  }
  t.equal(new Set(await allPages(api, { q: 'person', sort: '-lastSignIn', limit: '100' })).size, 3_200)
  t.match(await pageOf(api, { q: 'person1' }), { count: 1_000, isCountExact: false }, 'more than were counted')
  t.match(await pageOf(api, { q: 'person10' }), { count: 111, isCountExact: true })
})

t.test('GET /users?q=: few accounts are counted exactly, also if they fill more than a page (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  await owner.query(FILL, [30])
  await owner.query("INSERT INTO users (email, username) VALUES ('x@example.com', 'person')")
  t.match(await pageOf(api, { q: 'person', limit: '10' }), {
    count: 31, isCountExact: true, users: [{ username: 'person' }, { username: 'User30' }],
  })
})

t.test('GET /users: by state, address and factors, also together and with a search (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  const add = (username: string, more = {}) =>
    createUser(owner, { username, email: `${username}@example.com`, ...more })
  const [ada, bob] = [await add('ada'), await add('bob', { email_verified_at: null })]
  await add('cyd', { disabled_at: new Date() })
  await addTotp(owner, ada.id)
  await owner.query(`INSERT INTO passkeys (id, user_id, public_key, device_type, backed_up, name)
    VALUES ('x', $1, '', 'multiDevice', true, 'Phone')`, [bob.id])
  await owner.query("INSERT INTO totp (user_id, secret) VALUES ($1, 'not confirmed yet')", [bob.id])
  for (const [query, expected] of [
    [{ state: 'active' }, ['ada', 'bob']], [{ state: 'disabled' }, ['cyd']],
    [{ confirmed: 'yes' }, ['ada', 'cyd']], [{ confirmed: 'no' }, ['bob']],
    [{ factors: 'none' }, ['cyd']], [{ factors: 'any' }, ['ada', 'bob']], [{ factors: 'totp' }, ['ada']],
    [{ factors: 'passkey' }, ['bob']], [{ factors: 'any', confirmed: 'yes' }, ['ada']],
    [{ factors: 'any', state: 'disabled' }, []], [{ q: 'example', factors: 'passkey' }, ['bob']],
    [{ q: 'c', state: 'disabled' }, ['cyd']],
  ] as Array<[Record<string, string>, string[]]>) {
    const { users, count } = await pageOf(api, query)
    t.strictSame(users.map(({ username }) => username).sort(), expected, JSON.stringify(query))
    t.equal(count, expected.length)
  }
  const { users } = await pageOf(api, { sort: 'username' })
  t.strictSame(users.map(({ secondFactors }) => secondFactors), [['totp'], ['passkey'], []])
})

t.test('GET /users?sort=: each order, backwards too, in pages (200)', async t => {
  const { owner, api } = await buildSharedOperator(t)
  // Imported accounts are older than their ids say.
  for (const [username, created, signedIn] of [
    ['Bob', '2026-01-02', '2026-03-01'], ['ada', '2026-01-04', null], ['cyd', '2026-01-01', '2026-03-03'],
    ['Dan', '2026-01-03', '2026-03-02 10:00:00.000001'], ['eve', '2026-01-05', '2026-03-02 10:00:00.000002'],
    ['fay', '2026-01-06', null],
  ]) {
    const { rows: [{ id }] } = await owner.query(
      'INSERT INTO users (email, username, created_at) VALUES ($1, $2, $3) RETURNING id',
      [`${username}@example.com`, username, created])
    if (signedIn) await owner.query('INSERT INTO last_sign_ins VALUES ($1, $2)', [id, signedIn])
  }
  for (const [sort, expected] of [
    ['created', ['cyd', 'Bob', 'Dan', 'ada', 'eve', 'fay']],
    ['username', ['ada', 'Bob', 'cyd', 'Dan', 'eve', 'fay']],
    ['lastSignIn', ['ada', 'fay', 'Bob', 'Dan', 'eve', 'cyd']],
  ] as const) {
    for (const limit of ['1', '2', '4', '6']) {
      t.strictSame(await allPages(api, { sort, limit }), expected, `${sort}, ${limit} at a time`)
      t.strictSame(await allPages(api, { sort: `-${sort}`, limit }), expected.toReversed(), `-${sort}, ${limit}`)
      t.strictSame(await allPages(api, { sort, limit, q: 'example' }), expected, `${sort}, found`)
    }
  }
})

t.test('GET /users: accounts that are added and deleted meanwhile move no other to another page', async t => {
  const { owner, api } = await buildSharedOperator(t)
  for (const [sort, q] of [['', ''], ['', 'person'], ['username', ''], ['username', 'per'], ['lastSignIn', '']]) {
    await owner.query('DELETE FROM users')
    await owner.query(FILL, [20])
    await owner.query("INSERT INTO last_sign_ins SELECT id, now() - id * interval '1 hour' FROM users WHERE id % 2 = 0")
    const query = { limit: '6', ...(sort && { sort }), ...(q && { q }) }
    const before = await allPages(api, query)
    const found = await allPages(api, query, async () => {
      await owner.query(
        "INSERT INTO users (email, username) VALUES ('person0@example.com', 'a'), ('personz@a.b', 'zz')")
      await owner.query('DELETE FROM users WHERE username = $1', [before[2]])
    })
    t.strictSame(found.filter(name => name !== 'a' && name !== 'zz'), before, `${sort} ${q}`)
    t.equal(new Set(found).size, found.length, 'each once')
  }
})

t.test('GET /users: cursors and filters that clients made up (400)', async t => {
  const { api } = await buildSharedOperator(t)
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const query of [
    'limit=0', 'limit=101', 'limit=1%20OR%201', 'offset=3', 'q=%00', 'q=a%0Ab', `q=${'a'.repeat(255)}`,
    'cursor=x', `cursor=${cursorOf(null)}`, `cursor=${cursorOf(['', "1' OR '1'='1"])}`, `cursor=${cursorOf([1, 2])}`,
    `sort=username&cursor=${cursorOf(['a'.repeat(300), '1'])}`, `cursor=${cursorOf(['', '9'.repeat(30)])}`,
    `cursor=${cursorOf(['2026-02-30 09:00:00+00', '1'])}`, `sort=lastSignIn&cursor=${cursorOf(['x', '1'])}`,
    'sort=password_hash', 'sort=id;--', 'state=deleted', 'factors=sms', 'confirmed=maybe',
    'externalId=', 'externalId=%00', `externalId=${'a'.repeat(256)}`,
  ]) t.equal((await api('GET', `/users?${query}`)).statusCode, 400, query)
  const injected = cursorOf(["a') OR 1=1 --", '0'])
  t.match((await api('GET', `/users?sort=username&cursor=${injected}`)).json(), { users: [] })
})

t.test('the last sign-in is noted from the events, of each account the latest, and never goes back', async t => {
  const { app, owner, api } = await buildSharedOperator(t)
  const [ada, bob] = [await createUser(owner), await createUser(owner)]
  const record = (userId: string, what: string, at: string) =>
    owner.query('INSERT INTO auth_events (what, user_id, created_at) VALUES ($1, $2, $3)', [what, userId, at])
  await record(ada.id, 'sign_in', '2026-03-02T10:00:00Z')
  await record(ada.id, 'sign_in', '2026-03-01T10:00:00Z')
  await record(bob.id, 'sign_in_failed', '2026-03-01T10:00:00Z')
  const noted = (expected: string) => eventually(async () => {
    await app.noteSignIns()
    return (await pageOf(api, { q: ada.username })).users[0]?.lastSignInAt
  }, at => at === expected)
  t.equal(await noted('2026-03-02T10:00:00.000Z'), '2026-03-02T10:00:00.000Z')
  t.equal((await pageOf(api, { q: bob.username })).users[0]?.lastSignInAt, null)
  await record(ada.id, 'sign_in', '2026-02-01T10:00:00Z')
  await record(bob.id, 'sign_in', '2026-03-05T10:00:00Z')
  await eventually(async () => {
    await app.noteSignIns()
    return (await pageOf(api, { q: bob.username })).users[0]?.lastSignInAt
  }, at => at !== null)
  t.equal((await pageOf(api, { q: ada.username })).users[0]?.lastSignInAt, '2026-03-02T10:00:00.000Z')
})

/** The indexes of a plan. Fails if a table is read as a whole. */
async function indexesOf (owner: pg.Pool, { text, values }: { text: string, values: unknown[] }): Promise<string[]> {
  const { rows } = await owner.query(`EXPLAIN (FORMAT JSON) ${text}`, values)
  const plan = JSON.stringify(rows)
  if (plan.includes('Seq Scan')) throw new Error(plan)
  return [...plan.matchAll(/"Index Name":"(\w+)"/g)].map(([, name = '']) => name).sort()
}

/** Enough accounts that reading them all is slower than any index. */
async function fillTables () {
  const { app, owner } = await build(t)
  await owner.query(`
    INSERT INTO users (email, username, external_id, disabled_at, email_verified_at)
    SELECT 'person' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'User' ELSE 'user' END || n, 'customer-' || n,
      CASE WHEN n % 2000 = 0 THEN now() END, CASE WHEN n % 50 > 0 THEN now() END
    FROM generate_series(1, 20000) n`)
  await owner.query('INSERT INTO last_sign_ins SELECT id, now() FROM users WHERE id % 2 = 0')
  await owner.query('VACUUM ANALYZE users, last_sign_ins')
  return { app, owner }
}
let tables: ReturnType<typeof fillTables> | undefined
const shareTables = () => (tables ??= fillTables())

t.test('the search uses the indexes', async t => {
  const { owner } = await shareTables()
  const find = (filter: UserFilter) => indexesOf(owner, findQuery(filter))
  t.strictSame(await find({ q: 'son12345' }), ['users_external_id', 'users_search'])
  t.strictSame(await find({ q: 'r1' }), ['users_email_search', 'users_external_id', 'users_username_search'])
  t.strictSame(await find({ q: 'son12345', state: 'active' }), ['users_external_id', 'users_search'])
  t.strictSame(await find({ externalId: 'customer-12345' }), ['users_external_id'])
  t.strictSame(await find({ state: 'disabled' }), ['users_disabled'])
  t.strictSame(await find({ confirmed: 'no' }), ['users_unconfirmed'])
  t.strictSame(await find({ externalId: 'customer-12345', state: 'active', confirmed: 'yes' }), ['users_external_id'])
  t.match(await find({ state: 'disabled', confirmed: 'no' }), [/^users_(disabled|unconfirmed)$/])
})

t.test('gatehouse user list: the filters and a search use the indexes', async t => {
  const { app, owner } = await shareTables()
  for (const filter of [{ search: 'son12345' }, { disabled: true }, { unconfirmed: true }, { after: '19000' }]) {
    const wanted = { limit: 50, ...filter }
    const { conditions } = await app.userFilter.select(filterOf(wanted))
    t.strictSame(await indexesOf(owner, listQuery(wanted, conditions)), ['users_pkey'], JSON.stringify(filter))
    t.ok((await app.userList.page(wanted)).users.length > 0)
  }
})

t.test('a text that many have is searched for in the order of an index', async t => {
  const { app, owner } = await shareTables()
  const { match, exact } = app.userFilter.conditionsOf({ q: 'example' })
  for (const [sort, index] of [
    [undefined, 'users_created'], ['username', 'users_username_search'], ['-lastSignIn', 'last_sign_ins_order'],
  ] as const) {
    const part = partsOf(sort, exact).find(({ isFew }) => !isFew) as ListPart
    const start = { isAscending: sort === 'username' }
    const how = { ...start, isNext: true, isByIds: false, limit: 26 }
    const plans = [countNextQuery(part, match, start), pageQuery(part, match, how)]
    for (const query of plans) {
      const used = await indexesOf(owner, query)
      t.ok(used.includes(index) && !used.includes('users_search'), `${sort}: ${used}`)
    }
  }
})

t.test('every filter in every order uses the indexes, also with a cursor', async t => {
  const { app, owner } = await shareTables()
  await owner.query(`
    INSERT INTO totp (user_id, secret, confirmed_at) SELECT id, 'x', now() FROM users WHERE id % 500 = 0`)
  await owner.query('VACUUM ANALYZE totp, passkeys')
  const filters: UserFilter[] = [
    {}, { state: 'active' }, { state: 'disabled' }, { confirmed: 'yes' }, { confirmed: 'no' },
    { factors: 'totp' }, { factors: 'any' }, { state: 'disabled', confirmed: 'no' },
  ]
  for (const filter of filters) {
    const { conditions } = await app.userFilter.select(filter)
    for (const sort of [undefined, 'created', '-username', 'lastSignIn', '-lastSignIn'] as const) {
      for (const part of partsOf(sort, undefined)) {
        const keys = ['2026-01-01 00:00:00+00', 'person7', ''].filter(key => part.isKey(key))
        for (const cursor of [undefined, { key: keys[0] ?? '', id: '7' }]) {
          const start = { isAscending: sort !== undefined && !sort.startsWith('-'), cursor }
          const { text, values } = pageQuery(part, conditions, { ...start, isNext: false, isByIds: false, limit: 26 })
          const { rows } = await owner.query(`EXPLAIN ${text}`, values)
          const plan = JSON.stringify(rows)
          t.notMatch(plan, /Seq Scan on users/, JSON.stringify({ filter, sort, cursor }))
        }
      }
    }
  }
})

t.test('what a sign-in changes of an account is in no index: the update stays HOT', async t => {
  const { owner } = await createDatabase(t)
  const { id } = await createUser(owner)
  const client = await owner.connect()
  t.teardown(() => client.release())
  const hotUpdates = async (): Promise<number> => (await client.query(
    "SELECT pg_stat_get_xact_tuples_hot_updated('users'::regclass)::int AS hot")).rows[0].hot
  const hotUpdate = async (assignment: string): Promise<boolean> => {
    await client.query('BEGIN')
    const before = await hotUpdates()
    await client.query(`UPDATE users SET ${assignment} WHERE id = $1`, [id])
    const after = await hotUpdates()
    await client.query('ROLLBACK')
    return after > before
  }
  for (const column of ['first_signed_in_at', 'stolen_password_told_at', 'updated_at']) {
    t.ok(await hotUpdate(`${column} = now()`), column)
  }
  t.ok(await hotUpdate('factors_version = 7'))
  t.notOk(await hotUpdate("name = 'Another'"), 'the search has to find the new one')
})
