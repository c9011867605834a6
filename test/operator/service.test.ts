import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { eventQuery } from '../../plugins/records/audit/event-list.ts'
import { createBrowser, createUser } from '../support/browser.ts'
import { redisUrl, withoutRedis } from '../support/build.ts'
import { buildOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { addTotp } from '../support/second-factor.ts'

interface Listed { limit: string }
interface Event { id: string, what: string }

const service = await buildOperator(t)

/** The service, without the accounts and events of the other tests. Its limits keep counting. */
function setUp (t: Test) {
  t.teardown(() => service.owner.query('DELETE FROM auth_events; DELETE FROM users'))
  return service
}

t.test('GET /events: by kind, account and time, in pages, each event once (200)', async t => {
  const { api, owner } = setUp(t)
  const ada = await createUser(owner)
  // Ten of each time, so that pages end between events of the same microsecond.
  await owner.query(`
    INSERT INTO auth_events (what, user_id, created_at)
    SELECT CASE WHEN n % 3 = 0 THEN 'sign_in' ELSE 'sign_out' END, CASE WHEN n % 2 = 0 THEN $1::bigint END,
      timestamptz '2026-01-31 09:00:00.123456+00' + n / 10 * interval '1 minute'
    FROM generate_series(0, 99) n`, [ada.id])
  async function all (query: Record<string, string>): Promise<Event[]> {
    const found: Event[] = []
    let cursor = ''
    do {
      const parameters = new URLSearchParams({ limit: '7', ...query, ...(cursor && { cursor }) })
      const { events, next } = (await api('GET', `/events?${parameters}`)).json()
      found.push(...events)
      cursor = next ?? ''
    } while (cursor)
    return found
  }
  const everything = await all({})
  t.equal(everything.length, 100)
  t.equal(new Set(everything.map(({ id }) => id)).size, 100)
  t.equal((await all({ what: 'sign_in' })).length, 34)
  t.equal((await all({ kind: 'sign_in' })).length, 34, 'the former name')
  t.equal((await all({ user: ada.id })).length, 50)
  t.equal((await all({ user: ada.id, kind: 'sign_in' })).length, 17)
  t.equal((await all({ since: '2026-01-31T09:05:00Z', until: '2026-01-31T09:07:00Z' })).length, 20)
})

t.test('GET /events: filters and cursors as injection (400, or nothing found)', async t => {
  const { api, owner } = setUp(t)
  await owner.query("INSERT INTO auth_events (what) VALUES ('sign_in')")
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const query of [
    'kind=sign_in%27--', 'user=1%20OR%201=1', 'since=yesterday', 'until=now()', 'limit=1;', 'order=id',
    `cursor=${cursorOf(["2026-01-31 09:00:00+00'; DROP TABLE users; --", '1'])}`,
    `cursor=${cursorOf(['infinity', '1'])}`,
  ]) t.equal((await api('GET', `/events?${query}`)).statusCode, 400, query)
  for (const name of ['what', 'kind']) {
    t.match(await api('GET', `/events?${name}=none`), { statusCode: 400, body: /There is no event of the name none/ })
    t.match((await api('GET', `/events?${name}=data_exported`)).json(), { events: [], next: null })
  }
})

t.test('GET /events: by address, which is looked for in the last seven days, and by login name (200)', async t => {
  const { owner, api } = setUp(t)
  const { id, username, email } = await createUser(owner)
  await owner.query(`INSERT INTO auth_events (what, user_id, ip, user_agent, created_at) VALUES
    ('sign_in', $1, '203.0.113.7', $2, now()), ('sign_out', $1, '203.0.113.7', NULL, now() - interval '8 days'),
    ('sign_in', NULL, '203.0.113.70', NULL, now()), ('sign_in', NULL, '2001:db8::1', NULL, now()),
    ('sign_in', NULL, '2001:db8::2:0:0:1', NULL, now()), ('sign_in', NULL, '2001:db8:0:1::1', NULL, now())`,
  [id, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'])
  const found = async (query: Record<string, string>) =>
    (await api('GET', `/events?${new URLSearchParams(query)}`)).json().events
  t.match(await found({ address: '203.0.113.7' }), [{ what: 'sign_in', device: 'Chrome on Linux' }])
  t.equal((await found({ address: '203.0.113.7' })).length, 1)
  t.equal((await found({ address: '203.0.113.7', since: '2026-01-01T00:00:00Z' })).length, 2)
  const until = new Date(Date.now() - 2 * 86_400_000).toISOString()
  t.match(await found({ address: '203.0.113.7', until }), [{ what: 'sign_out', device: null }], 'seven days before it')
  t.equal((await found({ address: '2001:db8::1' })).length, 2, 'the network of an IPv6 client')
  for (const account of [username, email.toUpperCase()]) t.equal((await found({ account })).length, 2, account)
  t.strictSame(await found({ account: 'nobody' }), [])
  for (const address of ['x', '203.0.113.7/0', "' OR 1=1", '0.0.0.0/0', '']) {
    t.equal((await api('GET', `/events?${new URLSearchParams({ address })}`)).statusCode, 400, address)
  }
})

t.test('GET /operators: who they are, and why one cannot sign in (200)', async t => {
  const { app, owner, api, addKey, operator } = setUp(t)
  const [ada, bob] = [await createUser(owner), await createUser(owner)]
  await addTotp(owner, ada.id)
  for (const { id } of [ada, bob]) await app.operators.add(id)
  const { operators } = (await api('GET', '/operators')).json()
  t.match(operators.find(({ id }: { id: string }) => id === ada.id), {
    username: ada.username, hasSecondFactor: true, addedAt: /Z$/, suspendedAt: null, disabledAt: null, lastUsedAt: null,
  })
  t.match(operators.find(({ id }: { id: string }) => id === bob.id), { hasSecondFactor: false })
  const headers = { authorization: `Bearer ${await addKey('users', ['users:read'])}` }
  t.equal((await operator.inject({ url: '/operator/api/v1/operators', headers })).statusCode, 403)
})

t.test('GET /limits: accounts of users and sessions have their names (200)', async t => {
  const { app, owner, api } = setUp(t)
  const user = await createUser(owner)
  const { rows: [{ id: sid }] } = await owner.query(`
    INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at)
    VALUES (gen_random_uuid(), $1, 'x', now() + interval '1 day', now()) RETURNING id`, [user.id])
  const keys = [`codes:${user.id}`, `codes:session:${sid}`, 'codes:999999', "codes:1' OR 1=1", 'codes:session:x']
  for (const key of keys) await app.counters.take(key, 60_000)
  const { limits } = (await api('GET', '/limits')).json()
  const ownerOf = (who: string) => limits.find((limit: { who: string }) => limit.who === who)
  t.match(ownerOf(user.id), { subject: 'user', userId: user.id, username: user.username })
  t.match(ownerOf(sid), { subject: 'session', userId: user.id, username: user.username })
  for (const who of ['999999', "1' OR 1=1", 'x']) t.match(ownerOf(who), { userId: null, username: null }, who)
})

t.test('GET /events: each filter uses an index', async t => {
  const { owner } = setUp(t)
  await owner.query(`
    INSERT INTO auth_events (what, created_at)
    SELECT CASE WHEN n % 500 = 0 THEN 'account_disabled' ELSE 'sign_in' END, now() - n * interval '1 second'
    FROM generate_series(1, 50000) n`)
  await owner.query('ANALYZE auth_events')
  for (const [filter, index] of [
    [{}, 'auth_events_time'], [{ what: 'account_disabled' }, 'auth_events_kind'], [{ userId: '1' }, 'auth_events_user'],
    [{ address: '203.0.113.7', since: new Date(Date.now() - 60_000).toISOString() }, 'auth_events_time'],
  ] as const) {
    const { text, values } = eventQuery(filter)
    const first = ['infinity', '9223372036854775807', 51]
    const { rows } = await owner.query(`EXPLAIN (FORMAT JSON) ${text}`, [...first, ...values])
    t.match(JSON.stringify(rows), `"Index Name":"${index}"`)
  }
})

t.test('GET and DELETE /limits: of an address and of a login name, recorded with who did it (200)', async t => {
  const { app, api, owner } = setUp(t)
  const browser = createBrowser(app)
  const payload = { username: 'ada', password: 'wrong-Guess-77-again' }
  for (let count = 0; count < 5; count++) await browser.post('/login', payload)
  t.equal((await browser.post('/login', payload)).statusCode, 429)
  const { limits } = (await api('GET', '/limits?account=ada')).json()
  t.match(limits, [{ limit: 'account', count: 5, max: 50, reached: false }])
  const address = (await api('GET', '/events?kind=sign_in_failed&limit=1')).json().events[0].ip
  t.match((await api('GET', `/limits?address=${address}`)).json().limits, [{ limit: 'login', count: 5, reached: true }])
  t.match((await api('DELETE', `/limits?address=${address}`)).json(), { cleared: ['login'] })
  t.equal((await browser.post('/login', payload)).statusCode, 401)
  t.strictSame((await api('DELETE', '/limits?address=192.0.2.99')).json(), { cleared: [] })
  const ada = await createUser(owner, { username: 'ada' })
  t.match((await api('DELETE', '/limits?account=ADA')).json(), { cleared: ['account'] })
  await browser.post('/login', { ...payload, username: 'x'.repeat(200) })
  t.match((await api('DELETE', `/limits?account=${'x'.repeat(200)}`)).json(), { cleared: ['account'] })
  const { events } = (await api('GET', '/events?kind=limits_cleared')).json()
  t.match(events, [
    { userId: null, subject: 'x'.repeat(100), by: 'key test' },
    { userId: ada.id, username: 'ada', subject: null, by: 'key test' },
    { userId: null, subject: address, by: 'key test', ip: null },
  ])
  t.equal(events.length, 3, 'not where there was nothing to clear')
  for (const query of ['?address=x', '?address=1.2.3.4&account=ada', '?who=ada']) {
    t.equal((await api('GET', `/limits${query}`)).statusCode, 400, query)
  }
  t.equal((await api('DELETE', '/limits')).statusCode, 400, 'all of them at once are not cleared')
})

for (const store of ['memory', 'Redis']) {
  const skip = store === 'Redis' && withoutRedis
  t.test(`GET /limits: all in force, counted in ${store}, without login names and tokens (200)`, { skip }, async t => {
    const REDIS_PREFIX = `te[s]t*:${randomUUID()}:`
    const settings = store === 'Redis' ? { REDIS_URL: await redisUrl(t), REDIS_PREFIX } : undefined
    const { app, api, owner } = await buildOperator(t, { settings })
    const ada = await createUser(owner)
    const browser = createBrowser(app)
    for (let guess = 0; guess < 5; guess++) await browser.signIn('ada-as-typed')
    await browser.post('/reset-password', { email: 'ada@example.com' })
    await app.counters.fail({ key: `codes:${ada.id}`, id: 'x' }, { max: 10, windowMs: 60_000, leaseMs: 1_000 })
    await app.counters.take('login-step:secret-id', 60_000)
    await app.counters.take('mail:reset:ada@example.com', 60_000)
    const answer = await api('GET', '/limits')
    const { limits, isComplete } = answer.json()
    t.equal(isComplete, true)
    t.match(limits[0], { limit: 'login', subject: 'address', who: browser.address, count: 5, max: 5, reached: true })
    t.ok(limits[0].resetSeconds > 0)
    t.match(limits.toSorted((a: Listed, b: Listed) => a.limit < b.limit ? -1 : 1), [
      { limit: 'account', subject: 'login', who: /^[\w-]{10}$/, count: 5, max: 50, reached: false },
      { limit: 'codes', subject: 'user', who: ada.id, count: 1, max: 10 },
      { limit: 'login' },
      { limit: 'sensitive', subject: 'address', who: browser.address, count: 1 },
    ])
    t.equal(limits.length, 4, 'what is not a limit is not listed')
    t.notMatch(answer.body, /ada-as-typed|secret-id|example\.com/)
  })
}

t.test('GET /limits: at most 200, the fullest first (200)', async t => {
  const { app, api } = setUp(t)
  for (let n = 0; n < 250; n++) await app.counters.take(`general:10.9.8.${n}`, 60_000)
  for (let n = 0; n < 120; n++) await app.counters.take('general:10.9.8.249', 60_000)
  const { limits, isComplete } = (await api('GET', '/limits')).json()
  t.match([limits.length, isComplete, limits[0].who, limits[0].reached], [200, false, '10.9.8.249', true])
})

t.test('GET /keys, DELETE /keys/:name: without the keys themselves, recorded, refused at once (200, 204)', async t => {
  const { api, addKey, operator } = await buildOperator(t)
  const reader = { authorization: `Bearer ${await addKey('reader', ['keys:read'])}` }
  const url = '/operator/api/v1/keys'
  const listed = await operator.inject({ url, headers: reader })
  t.match(listed.json().keys, [
    { name: 'reader', scopes: ['keys:read'], endedAt: null },
    { name: 'test', lastUsedAt: null },
  ])
  t.notMatch(listed.body, /gh_|digest/)
  t.equal((await operator.inject({ method: 'DELETE', url: `${url}/test`, headers: reader })).statusCode, 403)
  t.equal((await api('DELETE', '/keys/reader')).statusCode, 204)
  t.equal((await operator.inject({ url, headers: reader })).statusCode, 401)
  t.equal((await api('DELETE', '/keys/reader')).statusCode, 404)
  t.equal((await api('DELETE', "/keys/x' OR 1=1")).statusCode, 400)
  t.match((await api('GET', '/events')).json().events, [{ what: 'key_ended', by: 'key test', subject: 'reader' }])
  t.match((await api('GET', '/keys')).json().keys, [{ name: 'test' }, { name: 'reader', endedAt: String }])
})

t.test('GET /audit, /audit/verify: the latest seal, what waits, whether the newest are unbroken (200)', async t => {
  const { app, api, owner } = setUp(t)
  t.strictSame((await api('GET', '/audit')).json(), { latest: null, since: null, waiting: 0 })
  const record = (count: number) =>
    owner.query("INSERT INTO auth_events (what) SELECT 'sign_in' FROM generate_series(1, $1)", [count])
  const sealAll = () => eventually(
    async () => app.sealEvents().then(() => api('GET', '/audit')).then(answer => answer.json()),
    ({ waiting }) => waiting === 0
  )
  for (const count of [3, 2]) await record(count).then(sealAll)
  await record(1)
  const state = (await api('GET', '/audit')).json()
  t.match(state, { latest: { number: 2, anchor: await app.audit.anchor(), sealedAt: String }, waiting: 1 })
  t.match((await api('GET', '/audit/verify')).json(),
    { unbroken: true, since: state.since, isComplete: true, seals: 2, events: 5, problems: [] })
  const newest = () => app.audit.verify({ newest: 1 })
  t.match(await newest(), { isComplete: false, seals: 1, events: 2, problems: [] })

  await owner.query('UPDATE auth_events SET ip = \'192.0.2.9\' WHERE id = (SELECT min(id) FROM auth_events)')
  t.match(await newest(), { problems: [] }, 'under an earlier seal')
  t.match((await api('GET', '/audit/verify')).json(), { unbroken: false, problems: [/^event \d+: was changed$/] })
  await owner.query('DELETE FROM audit_seals WHERE number = 1')
  t.match(await newest(), { problems: ['seal 2: the seal before it is missing'] })
})

t.test('GET /signing-keys and /mails (200)', async t => {
  const settings = { SMTP_URL: 'smtp://127.0.0.1:1' }
  const { app, api } = await buildOperator(t, { settings })
  await app.inject('/.well-known/jwks.json')
  const { keys } = (await api('GET', '/signing-keys')).json()
  t.match(keys, [{ kid: String, algorithm: 'EdDSA', signsAt: String, retiredAt: null }])
  t.notOk('encrypted' in keys[0] || 'privateKey' in keys[0])

  await api('POST', '/users', { username: 'ada', email: 'ada@example.com' })
  t.match((await api('GET', '/mails')).json().mails, [{ kind: 'invite', email: 'ada@example.com', state: 'waiting' }])
})
