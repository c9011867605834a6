import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { deliveryQuery } from '../../plugins/records/webhooks/delivery-list.ts'
import { addApplication } from '../support/openid/logouts.ts'
import { createUser } from '../support/browser.ts'
import { secrets } from '../support/build.ts'
import { buildOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { startReceiver } from '../support/receiver.ts'

const HOOK = { url: 'https://app.example.com/hooks', events: ['user.created'] }
const URL_OF_NONE = `/webhooks/${randomUUID()}`

const shared = await buildOperator(t)

/** The service, whose log must not show the secrets of this endpoint. What a test adds is deleted at its end. */
function setUp (t: Test, service = shared) {
  t.teardown(() => service.owner.query(`DELETE FROM webhooks; DELETE FROM auth_events; DELETE FROM users;
    DELETE FROM idempotency_keys; DELETE FROM api_keys WHERE name <> 'test'`))
  async function add (payload: object = HOOK): Promise<{ id: string, secret: string }> {
    const { webhook, secret } = (await service.api('POST', '/webhooks', payload)).json()
    secrets.add(secret)
    return { id: webhook.id, secret }
  }
  return { ...service, add }
}

t.test('webhooks: add, see, change, pause, resume, rotate and remove; the secret is shown once', async t => {
  const { api, add, owner } = setUp(t)
  const { id, secret } = await add({ ...HOOK, notify: 'ops@example.com' })
  t.match(secret, /^whsec_[\w+/=]{44}$/)
  const path = `/webhooks/${id}`
  t.match((await api('GET', path)).json().webhook, { ...HOOK, id, notify: 'ops@example.com', pausedAt: null })

  const changed = await api('PATCH', path, { url: 'https://other.example.com/', events: ['*'], notify: null })
  t.match(changed, { statusCode: 200 })
  t.match(changed.json().webhook, { url: 'https://other.example.com/', events: ['*'], notify: null })
  await api('PATCH', path, { notify: 'on-call@example.com' })
  t.match((await api('GET', path)).json().webhook,
    { url: 'https://other.example.com/', events: ['*'], notify: 'on-call@example.com' })

  for (const expected of [true, false]) t.strictSame((await api('POST', `${path}/pause`)).json(), { changed: expected })
  t.match((await api('GET', path)).json().webhook, { pausedAt: String, pausedFor: 'paused by an operator' })
  for (const expected of [true, false]) {
    t.strictSame((await api('POST', `${path}/resume`)).json(), { changed: expected })
  }
  const { secret: renewed } = (await api('POST', `${path}/rotate`)).json()
  secrets.add(renewed)
  t.match(renewed, /^whsec_/)
  t.not(renewed, secret)
  const list = await api('GET', '/webhooks')
  t.match(list.json(), { webhooks: [{ id }] })
  t.notMatch(list.body + (await api('GET', path)).body, /whsec_|secret/)
  t.equal((await api('DELETE', path)).statusCode, 204)
  t.strictSame((await api('GET', '/webhooks')).json(), { webhooks: [] })

  const { events } = (await api('GET', '/events')).json()
  t.match(events.toReversed(), [
    'webhook_added', 'webhook_changed', 'webhook_changed', 'webhook_paused', 'webhook_resumed', 'webhook_rotated',
    'webhook_removed',
  ].map(what => ({ what, by: 'key test', subject: id, userId: null })))
  const { rows } = await owner.query('SELECT count(*)::int AS count FROM auth_events')
  t.equal(rows[0].count, 7, 'what changed nothing is not recorded')
})

t.test('webhooks: the endpoint of an application is shown with its name, and kept by it (409)', async t => {
  const { app, api, owner } = setUp(t)
  t.teardown(() => owner.query('DELETE FROM applications'))
  const application = await addApplication(app, 'https://wiki.example.com/logout')
  const { webhooks } = (await api('GET', '/webhooks')).json()
  t.match(webhooks, [{ url: 'https://wiki.example.com/logout', events: [], application }])
  const path = `/webhooks/${webhooks[0].id}`
  for (const [method, url, body] of [
    ['DELETE', path], ['POST', `${path}/rotate`],
    ['PATCH', path, { url: HOOK.url }], ['PATCH', path, { events: ['*'] }],
  ] as const) {
    t.match(await api(method, url, body), { statusCode: 409, body: /belongs to the application Wiki/ }, method)
  }
  const changed = await api('PATCH', path, { notify: 'ops@example.com' })
  t.match(changed.json().webhook, { notify: 'ops@example.com', application })
  t.match(await api('POST', `${path}/pause`), { statusCode: 200 })
  t.match((await api('GET', path)).json().webhook, { pausedFor: 'paused by an operator' })
})

t.test('webhooks: deliveries by state, in pages, with the answer; sent again with the same id', async t => {
  const { app, api, add, owner } = setUp(t, await buildOperator(t, { settings: { WEBHOOK_PRIVATE: 'allow' } }))
  let down = true
  const receiver = await startReceiver(t, (_received, response) => {
    response.writeHead(down ? 500 : 200).end('<script>alert(1)</script>\0')
  })
  const { id, secret } = await add({ url: receiver.url, events: ['user.disabled'] })
  const { id: other } = await add()
  const path = `/webhooks/${id}/deliveries`
  for (let n = 0; n < 5; n++) {
    const user = await createUser(owner)
    await owner.query("INSERT INTO auth_events (what, user_id) VALUES ('account_disabled', $1)", [user.id])
  }
  const run = () => app.announceEvents().then(() => app.sendMessages())
  await eventually(run, () => receiver.received.length === 5)
  const { deliveries } = (await api('GET', path)).json()
  t.match(deliveries, Array(5).fill({
    type: 'user.disabled', status: 'waiting', attempts: 1, answerStatus: 500, answer: '<script>alert(1)</script>',
  }))
  down = false
  await owner.query('UPDATE webhook_deliveries SET due_at = now() WHERE id <> $1', [deliveries[0].id])
  await run()

  const found: string[] = []
  let cursor = ''
  do {
    const query = new URLSearchParams({ state: 'delivered', limit: '3', ...cursor && { cursor } })
    const page = (await api('GET', `${path}?${query}`)).json()
    found.push(...page.deliveries.map((delivery: { id: string }) => delivery.id))
    cursor = page.next ?? ''
  } while (cursor)
  t.strictSame(found, deliveries.slice(1).map((delivery: { id: string }) => delivery.id))
  t.match((await api('GET', `${path}?state=waiting`)).json(), { deliveries: [{ id: deliveries[0].id }], next: null })

  t.strictSame((await api('POST', `${path}/${deliveries[0].id}/resend`)).json(), { changed: false }, 'it waits')
  t.strictSame((await api('POST', `${path}/${found[0]}/resend`)).json(), { changed: true })
  const sent = receiver.received.length
  await run()
  t.equal(receiver.received.length, sent + 1)
  const { headers, body } = receiver.received.at(-1) as typeof receiver.received[number]
  t.equal(headers['webhook-id'], deliveries[1].messageId)
  t.ok(new Webhook(secret).verify(body, headers))
  t.match((await api('GET', '/events?kind=webhook_resent')).json(), { events: [{ by: 'key test', subject: id }] })
  t.equal((await api('POST', `/webhooks/${other}/deliveries/${found[0]}/resend`)).statusCode, 404, 'of another one')
  t.equal((await api('POST', `${path}/999/resend`)).statusCode, 404)
})

t.test('webhooks: unusable addresses, events and cursors (400), none of this id (404), no scope (403)', async t => {
  const { api, add, addKey, operator, owner } = setUp(t)
  const { id } = await add()
  for (const change of [
    { url: 'ftp://example.com/' }, { url: 'https://user:secret@example.com/' }, { url: 'http://127.0.0.1/' },
    { url: 'https://[::1]/' }, { url: 'https://169.254.169.254/latest' }, { url: 'https://0x7f000001/' },
    { url: `https://example.com/${'x'.repeat(2_000)}` }, { events: [] }, { events: ['user.exploded'] },
    { notify: 'no address' }, { secret: 'whsec_mine' },
  ]) {
    t.equal((await api('POST', '/webhooks', { ...HOOK, ...change })).statusCode, 400, JSON.stringify(change))
    t.equal((await api('PATCH', `/webhooks/${id}`, change)).statusCode, 400, JSON.stringify(change))
  }
  t.equal((await api('PATCH', `/webhooks/${id}`, {})).statusCode, 400)
  const cursor = Buffer.from(JSON.stringify(['delivery', "1' OR 1=1"])).toString('base64url')
  for (const query of ['state=lost', 'limit=0', `cursor=${cursor}`, 'cursor=x', 'order=id']) {
    t.equal((await api('GET', `/webhooks/${id}/deliveries?${query}`)).statusCode, 400, query)
  }
  for (const [method, path] of [
    ['GET', ''], ['GET', '/deliveries'], ['DELETE', ''], ['POST', '/pause'], ['POST', '/resume'], ['POST', '/rotate'],
    ['POST', '/deliveries/1/resend'],
  ] as const) {
    t.equal((await api(method, URL_OF_NONE + path)).statusCode, 404, `${method} ${path}`)
    t.equal((await api(method, `/webhooks/1' OR 1=1${path}`)).statusCode, 400, `${method} ${path}`)
  }
  t.equal((await api('PATCH', URL_OF_NONE, { events: ['*'] })).statusCode, 404)

  const reader = { authorization: `Bearer ${await addKey('reader', ['webhooks:read'])}` }
  const url = `/operator/api/v1/webhooks/${id}`
  t.equal((await operator.inject({ url, headers: reader })).statusCode, 200)
  for (const path of ['/pause', '/resume', '/rotate', '/deliveries/1/resend']) {
    t.match(await operator.inject({ method: 'POST', url: url + path, headers: reader }), { statusCode: 403 }, path)
  }
  const writer = { authorization: `Bearer ${await addKey('writer', ['webhooks:write'])}` }
  t.equal((await operator.inject({ url: `${url}/deliveries`, headers: writer })).statusCode, 403)
  t.equal((await owner.query('SELECT FROM webhooks')).rowCount, 1)
})

t.test('webhooks: a request with an Idempotency-Key, whose response would be stored with the secret (400)', async t => {
  const { api, add, owner } = setUp(t)
  const { id } = await add()
  for (const [path, payload] of [['/webhooks', HOOK], [`/webhooks/${id}/rotate`, undefined]] as const) {
    const answer = await api('POST', path, payload, { 'idempotency-key': 'once' })
    t.match(answer, { statusCode: 400, body: /no Idempotency-Key/ }, path)
  }
  t.equal((await owner.query('SELECT FROM webhooks')).rowCount, 1)
  t.equal((await owner.query('SELECT FROM idempotency_keys')).rowCount, 0)
})

t.test('webhooks: lists of deliveries use an index', async t => {
  const { owner, add } = setUp(t)
  const [{ id }, { id: busy }] = [await add(), await add()]
  await owner.query(`
    INSERT INTO webhook_deliveries (webhook_id, message_id, type, data, occurred_at, status)
    SELECT CASE WHEN n % 100 = 0 THEN $1::uuid ELSE $2::uuid END, n, 'user.created', '{}', now(),
      CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'delivered' END
    FROM generate_series(1, 30000) n`, [id, busy])
  await owner.query('ANALYZE webhook_deliveries')
  const indexes = [[undefined, 'webhook_deliveries_list'], ['failed', 'webhook_deliveries_failed']] as const
  for (const [status, index] of indexes) {
    const values = [id, '9223372036854775807', 51, ...status ? [status] : []]
    const { rows } = await owner.query(`EXPLAIN (FORMAT JSON) ${deliveryQuery(status)}`, values)
    t.match(JSON.stringify(rows), `"Index Name":"${index}"`)
  }
})
