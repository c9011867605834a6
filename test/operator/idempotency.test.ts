import t from 'tap'
import { buildSharedOperator } from '../support/operator.ts'

const ADA = { username: 'ada', email: 'ada@example.com' }
const withKey = (key: string) => ({ 'idempotency-key': key })

t.test('Idempotency-Key: the same response again, and one account (201)', async t => {
  const { api, owner } = await buildSharedOperator(t)
  const first = await api('POST', '/users', ADA, withKey('one'))
  const again = await api('POST', '/users', ADA, withKey('one'))
  t.equal(first.statusCode, 201)
  t.equal(again.statusCode, 201)
  t.equal(again.body, first.body)
  t.equal(again.headers['idempotency-replayed'], 'true')
  t.equal(first.headers['idempotency-replayed'], undefined)
  t.equal((await owner.query('SELECT FROM users')).rowCount, 1)
  t.equal((await api('POST', '/users', ADA, withKey('two'))).statusCode, 409, 'another key is another request')

  const refused = await api('POST', '/users', { ...ADA, username: 'bob' }, withKey('one'))
  t.match(refused, { statusCode: 422, body: /used for a different request/ })
  for (const bad of ['', 'a b', 'x'.repeat(256)]) {
    t.equal((await api('POST', '/users', ADA, withKey(bad))).statusCode, 400, bad)
  }
})

t.test('Idempotency-Key: many at once create one account; the others get 409 or its response', async t => {
  const { api, owner } = await buildSharedOperator(t)
  const answers = await Promise.all(Array.from({ length: 8 }, () => api('POST', '/users', ADA, withKey('same'))))
  const created = answers.filter(({ statusCode }) => statusCode === 201)
  t.ok(created.length >= 1)
  t.equal(new Set(created.map(({ body }) => body)).size, 1)
  const refused = answers.filter(({ statusCode }) => statusCode !== 201)
  for (const { body } of refused) t.match(body, /still being handled/, 'not refused because the name is taken')
  t.equal(created.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length, 1)
  t.equal((await owner.query('SELECT FROM users')).rowCount, 1)
})

t.test('Idempotency-Key: belongs to a key of the API, and is forgotten after a day', async t => {
  const { api, addKey, owner } = await buildSharedOperator(t)
  const other = { authorization: `Bearer ${await addKey('other')}` }
  t.equal((await api('POST', '/users', ADA, withKey('k'))).statusCode, 201)
  const bob = { username: 'bob', email: 'bob@example.com' }
  t.equal((await api('POST', '/users', bob, { ...withKey('k'), ...other })).statusCode, 201)
  await owner.query("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'")
  t.equal((await api('POST', '/users', ADA, withKey('k'))).statusCode, 409, 'handled as new: the name is taken')
})

t.test('Idempotency-Key: a request whose instance died can be sent again after a minute', async t => {
  const { app, api, owner } = await buildSharedOperator(t)
  await app.idempotencyKeys.claim('key test', 'lost', Buffer.from('x'))
  t.equal((await api('POST', '/users', ADA, withKey('lost'))).statusCode, 422)
  await owner.query("UPDATE idempotency_keys SET created_at = now() - interval '2 minutes'")
  t.equal((await api('POST', '/users', ADA, withKey('lost'))).statusCode, 201)
})
