import t from 'tap'
import { createUser, NO_LIMITS } from '../support/browser.ts'
import { buildOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { startReceiver } from '../support/receiver.ts'

const settings = { ...NO_LIMITS, WEBHOOK_PRIVATE: 'allow' }
const { app, api, addKey, owner, log } = await buildOperator(t, { settings })
const write = (id: string, data: unknown, version: string | undefined = '*') =>
  api('PUT', `/users/${id}/data`, data as object, version ? { 'if-match': version } : {})
/** The text as it is. */
const writeText = (id: string, text: string) =>
  api('PUT', `/users/${id}/data`, text as unknown as object, { 'if-match': '*', 'content-type': 'application/json' })
const eventsOf = async (id: string) => (await owner.query(
  'SELECT what, subject, actor FROM auth_events WHERE user_id = $1 ORDER BY id', [id])).rows

t.test('data: empty at first, replaced as a whole, with a version and an event (200)', async t => {
  const { id } = await createUser(owner)
  const empty = await api('GET', `/users/${id}/data`)
  t.match(empty, { statusCode: 200, body: '{}', headers: { etag: '"0"' } })
  const data = { roles: ['editor', 'Größe 🙂'], tenant: { id: 7, 'a b': null }, '': -0.5, active: true }
  const first = await write(id, data, '"0"')
  t.match(first, { statusCode: 200, headers: { etag: '"1"' } })
  t.strictSame(first.json(), data)
  t.strictSame((await write(id, { tenant: 'acme' }, '"1"')).json(), { tenant: 'acme' }, 'no member is kept')
  const read = await api('GET', `/users/${id}`)
  t.equal(read.headers.etag, '"2"')
  t.strictSame(read.json().data, { tenant: 'acme' })
  t.match(await write(id, { tenant: 'acme' }, '"2"'), { statusCode: 200, headers: { etag: '"2"' } }, 'unchanged')
  const event = { what: 'profile_changed', subject: 'data', actor: 'key test' }
  t.strictSame(await eventsOf(id), [event, event])
  t.match((await write(id, {}, '*')).headers, { etag: '"3"' }, 'an empty one has a version, too')
  for (let i = 0; i < 2; i++) t.match((await writeText(id, '{"a":-0}')).headers, { etag: '"4"' }, 'stored as 0')
  t.notMatch(log.text, 'acme')
})

t.test('PATCH /users/:id: data beside other fields, all or nothing, one event', async t => {
  const { id } = await createUser(owner)
  const change = (body: object, headers = {}) => api('PATCH', `/users/${id}`, body, headers)
  t.equal((await change({ data: { a: 1 } })).statusCode, 428)
  t.equal((await change({ name: 'Lost', data: { a: 1 } }, { 'if-match': '"7"' })).statusCode, 412)
  t.equal((await api('GET', `/users/${id}`)).json().user.name, null, 'nothing was changed')
  const answer = await change({ name: 'Ada', data: { a: 1 } }, { 'if-match': '"0"' })
  t.match(answer, { statusCode: 200, headers: { etag: '"1"' } })
  t.match(answer.json(), { user: { name: 'Ada' }, changed: ['name', 'data'] })
  t.strictSame(await eventsOf(id), [{ what: 'profile_changed', subject: 'name,data', actor: 'key test' }])
})

t.test('data: without a version (428), a wrong one (412), a strange one (400)', async t => {
  const { id } = await createUser(owner)
  t.equal((await write(id, { a: 1 }, '')).statusCode, 428)
  t.equal((await write(id, { a: 1 }, '"1"')).statusCode, 412)
  for (const version of ['1', '"x"', 'W/"0"', '"0", "1"', '"00"', '"9999999999"']) {
    t.equal((await write(id, { a: 1 }, version)).statusCode, 400, version)
  }
  t.match(await api('GET', `/users/${id}/data`), { body: '{}' })
})

t.test('data: of writers at once with the same version, one wins', async t => {
  const { id } = await createUser(owner)
  for (const version of ['"0"', '"1"']) {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, writer) => write(id, { version, writer }, version)))
    t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [200, ...Array(7).fill(412)])
    const winner = answers.find(({ statusCode }) => statusCode === 200)
    t.strictSame((await api('GET', `/users/${id}/data`)).json(), winner?.json())
  }
})

t.test('data: the same for transactions that have not locked the account before', async t => {
  const { id } = await createUser(owner)
  const replace = (writer: number) =>
    app.database.transact(client => app.accountData.replace(client, id, { writer }, 0))
  const writes = Array.from({ length: 8 }, (_, writer) => replace(writer).catch(error => error.statusCode))
  t.strictSame((await Promise.all(writes)).sort(), [...Array(7).fill(412), true])
})

t.test('data: 4096 bytes of UTF-8 without spaces, and no more', async t => {
  const { id } = await createUser(owner)
  const rest = 4096 - '{"x":""}'.length
  const euros = '€'.repeat(Math.floor(rest / 3)) + 'x'.repeat(rest % 3)
  for (const text of ['x'.repeat(rest), euros]) {
    t.equal((await write(id, { x: text })).statusCode, 200)
    t.match((await write(id, { x: `${text}x` })).json(), {
      message: 'Invalid data: it has 4097 bytes, and at most 4096 are stored.',
    })
    t.strictSame((await api('GET', `/users/${id}/data`)).json(), { x: text })
  }
  t.equal((await writeText(id, `{ "x" : "${'y'.repeat(rest)}" ${' '.repeat(500)}}`)).statusCode, 200, 'spaces are free')
  t.equal((await writeText(id, JSON.stringify({ x: 'x'.repeat(17_000) }))).statusCode, 413)
  const { rows: [row] } = await owner.query(
    'SELECT octet_length(data::text) AS bytes FROM account_data WHERE user_id = $1', [id])
  t.strictSame(row, { bytes: 4096 })
})

t.test('data: what is no plain JSON object (400), never a 500', async t => {
  const { id } = await createUser(owner)
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  for (const [text, message] of [
    ['[]', 'body must be object'],
    ['null', 'body must be object'],
    ['"x"', 'body must be object'],
    ['{"a":1,"a":2}', 'The body has an object with two members of the same name.'],
    ['{"b":[{"a":1,"\\u0061":2}]}', 'The body has an object with two members of the same name.'],
    ['{"__proto__":{"isAdmin":true}}', /__proto__/],
    ['{"\\u005f_proto__":{"isAdmin":true}}', /__proto__/],
    ['{"a":{"constructor":{"prototype":{}}}}', /prototype/],
    ['{"a":{"constructor":1}}', 'Invalid data: a member must not be named constructor.'],
    ['{"prototype":1}', 'Invalid data: a member must not be named prototype.'],
    ['{"a":"\\u0000"}', 'Invalid data: a text has a NUL character.'],
    ['{"\\u0000":1}', 'Invalid data: a text has a NUL character.'],
    ['{"a":["\\ud800"]}', 'Invalid data: a text is not well-formed Unicode.'],
    ['{"a":1e400}', 'Invalid data: a number is too large to be exact: write it as a text.'],
    ['{"a":9007199254740993}', 'Invalid data: a number is too large to be exact: write it as a text.'],
    [nested(10), 'Invalid data: it has more than 10 levels.'],
    [nested(8_000), 'Invalid data: it has more than 10 levels.'],
    ['{"a":1', 'The body is not valid JSON.'],
    ['', 'The body is empty, but Content-Type is application/json.'],
  ] as const) {
    const answer = await writeText(id, text)
    t.equal(answer.statusCode, 400, text.slice(0, 40))
    t.match(answer.json().message, message)
  }
  t.equal((await writeText(id, nested(9))).statusCode, 200)
  t.equal((await writeText(id, '{"a":"\\"a\\":1, \\"a\\":2","b":{"a":1}}')).statusCode, 200, 'a colon in a text')
  t.strictSame(log.errors, [])
})

t.test('data: needs the scope, an account (404), and no operator (403)', async t => {
  const { id } = await createUser(owner)
  const [reads, writes] = [await addKey('reads', ['users:read']), await addKey('writes', ['users:write'])]
  const as = (key: string) => ({ authorization: `Bearer ${key}`, 'if-match': '*' })
  t.equal((await api('PUT', `/users/${id}/data`, { a: 1 }, as(reads))).statusCode, 403)
  t.equal((await api('PUT', `/users/${id}/data`, { a: 1 }, as(writes))).statusCode, 200)
  t.equal((await api('GET', `/users/${id}/data`, undefined, as(writes))).statusCode, 403)
  t.equal((await api('GET', `/users/${id}/data`, undefined, as(reads))).statusCode, 200)
  t.equal((await write('999999999', {})).statusCode, 404)
  t.equal((await api('GET', '/users/999999999/data')).statusCode, 404)
  await owner.query('INSERT INTO operators (user_id) VALUES ($1)', [id])
  t.equal((await write(id, { a: 2 })).statusCode, 403)
})

t.test('data: goes with the account', async t => {
  const { id } = await createUser(owner)
  await write(id, { a: 1 })
  t.equal((await api('DELETE', `/users/${id}`)).statusCode, 204)
  t.equal((await owner.query('SELECT FROM account_data WHERE user_id = $1', [id])).rowCount, 0)
})

t.test('data: a webhook is told that it has changed, and not what it is', async t => {
  const receiver = await startReceiver(t)
  const added = await api('POST', '/webhooks', { url: receiver.url, events: ['user.updated'] })
  t.equal(added.statusCode, 201)
  const { id } = await createUser(owner)
  await write(id, { tenant: 'acme' })
  await eventually(() => app.announceEvents().then(() => app.sendMessages()), () => receiver.received.length > 0)
  const [{ message, body } = { message: {}, body: '' }] = receiver.received
  t.match(message, { type: 'user.updated', data: { userId: id, what: 'profile_changed', changed: 'data' } })
  t.notMatch(body, 'acme')
})

t.test('data: the version of a response is that of the own change, also if another one follows at once', async t => {
  const { id } = await createUser(owner)
  const client = await owner.connect()
  // The response shows the last sign-in: it waits after its change is committed.
  await client.query('BEGIN; LOCK TABLE last_sign_ins IN ACCESS EXCLUSIVE MODE')
  const first = api('PATCH', `/users/${id}`, { data: { writer: 1 } }, { 'if-match': '"0"' })
  await eventually(() => api('GET', `/users/${id}/data`), ({ headers }) => headers.etag === '"1"')
  t.match(await write(id, { writer: 2 }, '"1"'), { statusCode: 200, headers: { etag: '"2"' } })
  await client.query('COMMIT')
  client.release()
  t.match((await first).headers, { etag: '"1"' }, 'otherwise the first writer would replace what it has not seen')
})
