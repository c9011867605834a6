import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, buildShared } from '../../support/build.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { makeFolder } from '../../support/folder.ts'
import { eventually } from '../../support/patience.ts'
import { startReceiver, type Received } from '../../support/receiver.ts'
import { shareSmtp } from '../../support/smtp.ts'

const SETTINGS = { ...NO_LIMITS, EMAIL_VERIFICATION: 'off', WEBHOOK_PRIVATE: 'allow' }

/** One service for each of the settings. The endpoints of a test are deleted at its end. */
async function share (t: Test, settings: Record<string, string> = {}) {
  const service = await buildShared(t, { settings: { ...SETTINGS, ...settings } })
  t.teardown(() => service.owner.query('DELETE FROM webhooks'))
  return service
}

/** A service with an endpoint that wants these events. */
async function setUp (
  t: Test,
  { events = ['*'], answer, settings, service, notify, host = '127.0.0.1' }: {
    events?: string[]
    answer?: Parameters<typeof startReceiver>[1]
    settings?: Record<string, string>
    service?: Awaited<ReturnType<typeof build>>
    notify?: string
    host?: string
  } = {}
) {
  const { app, owner, log } = service ?? await share(t, settings)
  const receiver = await startReceiver(t, answer)
  const endpoint = await app.webhooks.add({ url: receiver.url.replace('127.0.0.1', host), events, notify })
  const run = async () => {
    await app.announceEvents()
    await app.sendMessages()
  }
  /** Transactions of other tests on the same server delay the events. */
  const received = (count: number) => eventually(
    async () => run().then(() => receiver.types()),
    types => types.length >= count
  )
  const dueNow = () => owner.query("UPDATE webhook_deliveries SET due_at = now() WHERE status = 'waiting'")
  return { app, owner, log, receiver, endpoint, run, received, dueNow }
}

type Service = Awaited<ReturnType<typeof setUp>>

async function record ({ owner }: Pick<Service, 'owner'>, what: string, userId: string) {
  await owner.query('INSERT INTO auth_events (what, user_id) VALUES ($1, $2)', [what, userId])
}

t.test('webhooks: an account from its registration to its deletion, signed, in order', async t => {
  const service = await setUp(t)
  const { app, owner, receiver, endpoint, received } = service
  const [browser, other] = [createBrowser(app), createBrowser(app)]
  const account = { username: 'ada', email: 'ada@example.com', password: 'tr0mbone-Under-glass!' }
  t.equal((await browser.post('/register', account)).statusCode, 201)
  await received(1)
  const user = { ...receiver.received[0]?.message.data.user }
  t.match(user, { username: 'ada', email: 'ada@example.com', emailVerified: false, disabled: false })
  for (const each of [browser, other]) await each.signIn('ada')
  const changed = { current: account.password, password: 'an0ther-Harbour-lamp!' }
  t.equal((await other.guarded('POST', '/api/auth/password', changed)).statusCode, 204)
  const found = await app.users.findById(user.id) as never
  await app.administration.disable(found)
  await app.administration.enable(found)
  await received(9)
  await createBrowser(app).signIn('ada', changed.password)
  await received(10)
  await owner.query('DELETE FROM users')
  await owner.query("INSERT INTO auth_events (what, account_id) VALUES ('account_deleted', $1)", [user.id])
  await received(12)

  const types = receiver.types()
  t.equal(types[0], 'user.created')
  for (const [type, count] of [
    ['session.created', 3], ['session.replaced', 1], ['session.ended', 3], ['password.changed', 1],
    ['user.disabled', 1], ['user.enabled', 1], ['user.deleted', 1],
  ] as const) t.equal(types.filter(each => each === type).length, count, type)
  const ends = receiver.received.filter(({ message }) => message.type === 'session.ended')
  t.strictSame(ends.map(({ message }) => message.data.reason).toSorted(),
    ['account_deleted', 'disabled', 'password_changed'])
  const replaced = receiver.received.find(({ message }) => message.type === 'session.replaced')?.message.data
  t.notOk(ends.some(({ message }) => message.data.sessionId === replaced?.replacedSessionId), 'it has not ended')
  t.ok(ends.some(({ message }) => message.data.sessionId === replaced?.sessionId), 'until the new one does')
  const created = receiver.received.find(({ message }) => message.type === 'session.created')
  t.equal(created?.message.data.what, 'sign_in', 'the name of the event, as in the API')
  t.ok(ends.some(({ message }) => message.data.sessionId === created?.message.data.sessionId))
  t.match(receiver.received.find(({ message }) => message.type === 'user.deleted')?.message.data,
    { userId: user.id, user: null })

  const verifier = new Webhook(endpoint.secret)
  for (const { headers, body } of receiver.received) t.ok(verifier.verify(body, headers))
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, types.length)
  t.throws(() => verifier.verify('{}', (receiver.received[0] as Received).headers))
  const { rows } = await owner.query('SELECT secret FROM webhooks')
  t.notOk(rows[0].secret.includes(endpoint.secret.slice(6)), 'encrypted')
})

t.test('webhooks: nothing of a placeholder, which no person knows of, also if an operator changes it', async t => {
  const service = await setUp(t)
  const { owner, receiver, received } = service
  const { id } = await createUser(owner, { email: 'a-random-id@stand-in.invalid' })
  await record(service, 'profile_changed', id)
  await record(service, 'account_disabled', (await createUser(owner)).id)
  await received(1)
  t.strictSame(receiver.types(), ['user.disabled'])
})

t.test('webhooks: only the events that were asked for, and none from before', async t => {
  const { app, owner } = await share(t)
  const { id } = await createUser(owner)
  await record({ owner }, 'account_disabled', id)
  // An event of the millisecond in which the endpoint is added is not from before.
  await owner.query("UPDATE auth_events SET created_at = created_at - interval '1 second'")
  const receiver = await startReceiver(t)
  await app.webhooks.add({ url: receiver.url, events: ['user.disabled', 'user.enabled'] })
  for (const what of ['password_changed', 'sign_in_failed', 'account_enabled']) await record({ owner }, what, id)
  await eventually(
    async () => app.announceEvents().then(() => app.sendMessages()).then(receiver.types),
    types => types.length > 0
  )
  t.strictSame(receiver.types(), ['user.enabled'])
})

t.test('webhooks: an event in the millisecond after the endpoint was added is announced', async t => {
  const { owner, receiver, received } = await setUp(t)
  const { id } = await createUser(owner)
  await owner.query("UPDATE webhooks SET created_at = date_trunc('milliseconds', created_at) + interval '500 us'")
  await owner.query(`INSERT INTO auth_events (what, user_id, created_at)
    SELECT 'account_disabled', $1, created_at + interval '100 us' FROM webhooks`, [id])
  await owner.query("INSERT INTO auth_events (what, user_id) VALUES ('account_enabled', $1)", [id])
  await eventually(() => received(1), types => types.includes('user.enabled'))
  t.strictSame(receiver.types(), ['user.disabled', 'user.enabled'])
})

t.test('webhooks: a registration with the address of another account is not announced', async t => {
  const { url: SMTP_URL } = await shareSmtp(t)
  const service = await setUp(t, { settings: { EMAIL_VERIFICATION: 'required', SMTP_URL } })
  const { app, owner, receiver, received } = service
  const { email, id } = await createUser(owner)
  const second = { username: 'second', email, password: 'tr0mbone-Under-glass!' }
  const answer = await createBrowser(app).post('/register', second)
  t.equal(answer.statusCode, 202)
  await record(service, 'account_disabled', id)
  await received(1)
  t.strictSame(receiver.types(), ['user.disabled'])
})

t.test('webhooks: a changed profile names the fields; the account has the present values', async t => {
  const { app, owner, receiver, received } = await setUp(t, { events: ['user.updated'] })
  const { id, username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  await browser.guarded('PATCH', '/api/auth/me', { name: 'Ada', language: 'de', timeZone: 'Europe/Berlin' })
  await browser.guarded('PATCH', '/api/auth/me', { name: 'Ada' })
  const found = await app.users.findById(id)
  await app.changeAccount(found!, { username: 'ada-king', externalId: 'c-1' })
  await received(2)
  t.match(receiver.received.map(({ message }) => message.data), [
    { userId: id, what: 'profile_changed', changed: 'name,language,timeZone' },
    {
      userId: id,
      what: 'profile_changed',
      changed: 'username,externalId',
      user: { name: 'Ada', language: 'de', timeZone: 'Europe/Berlin', username: 'ada-king', externalId: 'c-1' },
    },
  ])
  t.equal(receiver.received.length, 2, 'what stays the same is no change')
})

t.test('webhooks: an import is announced once for each batch, and no account by itself', async t => {
  const { app, owner, receiver, endpoint, run, received } = await setUp(t)
  const file = join(makeFolder(t), 'users.ndjson')
  const rows = Array.from({ length: 1_030 }, (_, number) => ({ email: `person${number}@example.com` }))
  writeFileSync(file, rows.map(row => JSON.stringify(row)).join('\n'))
  const runImport = (...options: string[]) => runCommand(app, ['user', 'import', file, ...options])
  t.match(await runImport('--dry-run'), { code: 0, stdout: /1030 can be added/ })
  t.match(await runImport(), {
    code: 0,
    stdout: /1030 added.*\n.*\nWebhooks get user\.imported 2 times, with the ids, and not user\.created for each/,
  })
  await received(2)
  t.match(await runImport(), { code: 0, stdout: /0 added, 1030 exist already.*\nNothing was changed/ })
  // What happens to an imported account afterwards is announced. All that came before it has been announced by then.
  const { rows: accounts } = await owner.query('SELECT id FROM users ORDER BY id')
  await record({ owner }, 'account_disabled', accounts[0].id)
  await received(3)
  await run()
  t.strictSame(receiver.types().toSorted(), ['user.disabled', 'user.imported', 'user.imported'])

  const batches = receiver.received.filter(({ message }) => message.type === 'user.imported')
  t.strictSame(batches.map(({ message }) => message.data.count).toSorted(), [1_000, 30])
  t.strictSame(
    batches.flatMap(({ message }) => message.data.userIds as string[]).toSorted(),
    accounts.map(({ id }) => id).toSorted()
  )
  const [{ headers, body, message }] = batches as [Received]
  t.ok(new Webhook(endpoint.secret).verify(body, headers))
  t.strictSame(Object.keys(message.data), ['what', 'count', 'userIds'], 'nothing personal')
  t.equal(message.data.what, 'accounts_imported')
})

t.test('webhooks: order for each account; a failed message holds back only its account', async t => {
  let down = true
  const answer = ({ message }: Received) => down && message.data.userId === first ? 500 : 204
  const service = await setUp(t, { answer })
  const { app, owner, receiver, received, dueNow, endpoint } = service
  const [{ id: first }, { id: second }] = [await createUser(owner), await createUser(owner)]
  await record(service, 'account_disabled', first)
  for (const id of [first, second]) await record(service, 'account_enabled', id)
  await received(2)
  const told = () => receiver.received.map(({ message }) => `${message.type} ${message.data.userId}`)
  t.strictSame(told().toSorted(), [`user.disabled ${first}`, `user.enabled ${second}`].toSorted())
  t.match(await app.webhooks.deliveries(endpoint.id), [
    { type: 'user.enabled', accountId: second, status: 'delivered', answerStatus: 204 },
    { type: 'user.enabled', accountId: first, status: 'waiting', attempts: 0 },
    { type: 'user.disabled', accountId: first, status: 'waiting', attempts: 1, answerStatus: 500 },
  ])
  down = false
  await dueNow()
  await received(4)
  t.strictSame(told().slice(2), [`user.disabled ${first}`, `user.enabled ${first}`])
  const [once, again] = receiver.received.filter(({ message }) => message.type === 'user.disabled')
  t.equal(once?.headers['webhook-id'], again?.headers['webhook-id'], 'a repeat has the same id')
})

t.test('webhooks: a long run of messages to one account ends early when the service closes; none is lost', async t => {
  const closing = new AbortController()
  const service = await setUp(t, { answer: () => { closing.abort(); return 204 } })
  const { app, owner, receiver, received } = service
  const { id } = await createUser(owner)
  await owner.query(`INSERT INTO auth_events (what, user_id)
    SELECT 'account_disabled', $1 FROM generate_series(1, 30)`, [id])
  await eventually(
    async () => app.announceEvents().then(() => app.webhooks.deliveries(service.endpoint.id)),
    deliveries => deliveries.length === 30
  )
  await app.sendMessages(closing.signal)
  t.equal(receiver.received.length, 1)
  await received(30)
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 30)
})

t.test('webhooks: two instances send each message once', async t => {
  const service = await setUp(t)
  const { app, owner, receiver, received } = service
  const other = await build(t, {
    settings: {
      ...SETTINGS,
      DATABASE_URL: app.config.DATABASE_URL as string,
      JWT_SECRET: app.config.JWT_SECRET
    }
  })
  await owner.query(`INSERT INTO users (email, username)
    SELECT n || '@example.com', 'u' || n FROM generate_series(1, 40) n`)
  await owner.query("INSERT INTO auth_events (what, user_id) SELECT 'account_disabled', id FROM users")
  await eventually(
    async () => Promise.all([received(0), other.app.announceEvents().then(() => other.app.sendMessages())]),
    () => receiver.received.length >= 40
  )
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 40)
  t.equal(receiver.received.length, 40)
})

t.test('webhooks: after a rotation both secrets sign; resend has the same id; JWT_SECRET may change', async t => {
  const service = await setUp(t)
  const { app, owner, receiver, received, endpoint, run } = service
  const { id } = await createUser(owner)
  const renewed = await app.webhooks.rotate(endpoint.id) as string
  await record(service, 'account_disabled', id)
  await received(1)
  const [{ headers, body }] = receiver.received as [Received]
  for (const secret of [endpoint.secret, renewed]) t.ok(new Webhook(secret).verify(body, headers))
  await owner.query('UPDATE webhooks SET previous_until = now()')
  const [delivery] = await app.webhooks.deliveries(endpoint.id)
  t.ok(await app.webhooks.resend(delivery?.id as string))
  await run()
  const [, repeated] = receiver.received as [Received, Received]
  t.equal(repeated.headers['webhook-id'], headers['webhook-id'])
  t.ok(new Webhook(renewed).verify(repeated.body, repeated.headers))
  t.throws(() => new Webhook(endpoint.secret).verify(repeated.body, repeated.headers))

  const next = await build(t, {
    settings: {
      ...SETTINGS,
      DATABASE_URL: app.config.DATABASE_URL as string,
      JWT_SECRET: 'x7'.repeat(20) + 'kXv4mQ8zR1sT6wY9bC2dF5gH7jK0lN3p',
      JWT_SECRET_PREVIOUS: app.config.JWT_SECRET
    }
  })
  t.strictSame(await next.app.webhooks.openSecrets(endpoint.id), [renewed])
})

t.test('webhooks: an endpoint that fails for a day is paused, and its owner told', async t => {
  const smtp = await shareSmtp(t)
  const settings = { EMAIL_VERIFICATION: 'required', SMTP_URL: smtp.url }
  const service = await setUp(t, { answer: () => 500, notify: 'ops@example.com', settings })
  const { app, owner, log, receiver, received, endpoint, run, dueNow } = service
  const [{ id: first }, { id: second }] = [await createUser(owner), await createUser(owner)]
  for (const id of [first, second]) await record(service, 'account_disabled', id)
  await received(2)
  t.match(await app.webhooks.list(), [{ pausedAt: null }])
  await owner.query(`UPDATE webhook_deliveries SET first_attempt_at = now() - interval '25 hours'
    WHERE account_id = $1`, [first])
  await dueNow()
  await run()
  t.match(await app.webhooks.list(), [{ pausedFor: 'it has failed for a day' }])
  t.ok(log.lines.some(({ msg }) => msg === 'a webhook was paused'))
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'webhook_paused'")).rowCount, 1)
  await eventually(() => smtp.mails.length, count => count === 1)
  t.match(smtp.mails[0], { reader: 'ops@example.com', subject: /paused/, text: /127\.0\.0\.1/ })
  const sent = receiver.received.length
  await dueNow()
  await run()
  t.equal(receiver.received.length, sent, 'nothing is sent while it is paused')
  t.ok(await app.webhooks.resume(endpoint.id))
  await run()
  t.equal(receiver.received.length, sent + 1, 'what waited is sent; what was given up is not')
  t.match((await app.webhooks.deliveries(endpoint.id)).map(({ status }) => status), ['waiting', 'failed'])
})

t.test('webhooks: 410 pauses at once; a message alone does not pause an endpoint that works', async t => {
  const service = await setUp(t, { answer: ({ message }) => message.type === 'user.disabled' ? 410 : 500 })
  const { app, owner, received, dueNow, run, endpoint } = service
  const { id } = await createUser(owner)
  await record(service, 'account_enabled', id)
  await received(1)
  await owner.query('UPDATE webhook_deliveries SET first_attempt_at = now() - interval \'25 hours\'')
  await owner.query('UPDATE webhooks SET succeeded_at = now()')
  await dueNow()
  await run()
  t.match(await app.webhooks.deliveries(endpoint.id), [{ status: 'failed' }])
  t.match(await app.webhooks.list(), [{ pausedAt: null }])
  await record(service, 'account_disabled', id)
  await received(3)
  t.match(await app.webhooks.list(), [{ pausedFor: 'it answered 410' }])
})

t.test('webhooks: a redirect is a failure and not followed; of a huge answer, the beginning is kept', async t => {
  const service = await setUp(t, {
    answer ({ message }, response) {
      if (message.type === 'user.disabled') response.writeHead(302, { location: '/elsewhere' }).end()
      else response.writeHead(200).end('é'.repeat(500_000))
    },
  })
  const { app, owner, receiver, received, endpoint } = service
  const [{ id: first }, { id: second }] = [await createUser(owner), await createUser(owner)]
  await record(service, 'account_disabled', first)
  await record(service, 'account_enabled', second)
  await received(2)
  t.match(await app.webhooks.deliveries(endpoint.id), [
    { status: 'delivered', answerStatus: 200, answer: 'é'.repeat(1_000) },
    { status: 'waiting', answerStatus: 302, attempts: 1 },
  ])
  t.equal(receiver.received.length, 2)
})

t.test('webhooks: a name that leads to a private address gets nothing, unless WEBHOOK_PRIVATE allows it', async t => {
  const service = await setUp(t, { settings: { WEBHOOK_PRIVATE: 'refuse' }, host: 'localhost' })
  const { app, owner, receiver, run, endpoint } = service
  await record(service, 'account_disabled', (await createUser(owner)).id)
  const deliveries = () => run().then(() => app.webhooks.deliveries(endpoint.id))
  const [delivery] = await eventually(deliveries, ([first]) => Boolean(first?.error))
  t.match(delivery, { status: 'waiting', answerStatus: null, error: /private or special address/ })
  t.strictSame(receiver.received, [])
})

t.test('webhooks: unusable addresses and events are refused (400)', async t => {
  const { app } = await share(t)
  for (const [url, events] of [
    ['ftp://example.com/', ['*']], ['no url', ['*']], ['https://user:secret@example.com/', ['*']],
    [`https://example.com/${'x'.repeat(2_000)}`, ['*']],
    ['https://example.com/', []], ['https://example.com/', ['user.exploded']],
  ] as const) t.match(await app.webhooks.add({ url, events: [...events] }).catch(error => error), { statusCode: 400 })
  for (const id of ['1', 'x', "'; DROP TABLE users"]) {
    t.notOk(await app.webhooks.remove(id))
    t.notOk(await app.webhooks.resend(`${id}x`))
    t.strictSame(await app.webhooks.deliveries(id), [])
  }
})

t.test('webhooks: sent while the service listens; deliveries are purged after a while', async t => {
  const { app, owner, receiver, endpoint } = await setUp(t, { service: await build(t, { settings: SETTINGS }) })
  await app.listen({ port: 0 })
  const { id } = await createUser(owner)
  await record({ owner }, 'account_disabled', id)
  // Meanwhile, the service may also seal the events and announce that.
  await eventually(() => receiver.types(), types => types.includes('user.disabled'))
  await owner.query(`
    UPDATE webhook_deliveries SET occurred_at = now() - interval '31 days' WHERE account_id = $1`, [id])
  t.match(await app.purge.run(), { webhook_deliveries: 1 })
  t.strictSame((await app.webhooks.deliveries(endpoint.id)).filter(({ type }) => type === 'user.disabled'), [])
})
