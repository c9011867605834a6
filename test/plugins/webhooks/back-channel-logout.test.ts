import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { addApplication, addGrant, sessionOf } from '../../support/openid/logouts.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, buildShared } from '../../support/build.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { eventually } from '../../support/patience.ts'
import { startReceiver, type Received } from '../../support/receiver.ts'

const SETTINGS = { ...NO_LIMITS, OPENID: 'on', EMAIL_VERIFICATION: 'off', WEBHOOK_PRIVATE: 'allow' }
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

interface Options {
  answer?: Parameters<typeof startReceiver>[1]
  settings?: Record<string, string>
  host?: string
}

/** An application that is told about sign-outs. */
async function setUp (t: Test, { answer, settings, host = '127.0.0.1' }: Options = {}) {
  const { app, owner } = await buildShared(t, { settings: { ...SETTINGS, ...settings } })
  t.teardown(() => owner.query('DELETE FROM applications'))
  const receiver = await startReceiver(t, answer)
  const application = await addApplication(app, receiver.url.replace('127.0.0.1', host))
  const [endpoint] = await app.webhooks.list() as [Awaited<ReturnType<typeof app.webhooks.list>>[number]]
  const user = await createUser(owner)
  /** A session that the application signs the user in from, and that ends. */
  async function signInAndOut (): Promise<string> {
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    const session = sessionOf(browser)
    await addGrant(owner, application.id, session)
    await browser.post('/logout')
    return session
  }
  const run = async () => {
    await owner.query("UPDATE webhook_deliveries SET due_at = now() WHERE status = 'waiting'")
    await app.announceEvents()
    await app.sendMessages()
  }
  const received = (count: number) =>
    eventually(async () => run().then(() => receiver.received), all => all.length >= count)
  const deliveries = () => app.webhooks.deliveries(endpoint.id)
  return { app, owner, receiver, application, endpoint, user, signInAndOut, run, received, deliveries }
}

const tokenOf = ({ message }: Received): string => message.logout_token

t.test('back-channel logout: a token that the published keys verify (200, 204)', async t => {
  let status = 200
  const { app, application, user, signInAndOut, received, deliveries } = await setUp(t, { answer: () => status })
  for (status of [200, 204]) {
    const sid = await signInAndOut()
    const { headers, body, message } = (await received(status === 200 ? 1 : 2)).at(-1) as Received
    t.equal(headers['content-type'], 'application/x-www-form-urlencoded')
    t.strictSame(Object.keys(message), ['logout_token'])
    t.equal(body, `logout_token=${message.logout_token}`)
    const keys = createLocalJWKSet((await app.inject('/.well-known/jwks.json')).json())
    const { payload, protectedHeader } = await jwtVerify(message.logout_token, keys, {
      issuer: app.config.PUBLIC_URL,
      audience: application.id,
      typ: 'logout+jwt',
      algorithms: ['ES256'],
    })
    t.strictSame(Object.keys(protectedHeader).toSorted(), ['alg', 'kid', 'typ'])
    const { iat = 0, jti, ...claims } = payload
    t.strictSame(claims, {
      iss: app.config.PUBLIC_URL, aud: application.id, exp: iat + 120, sub: user.id, sid, events: { [EVENT]: {} },
    })
    t.match(jti, /^[\w-]{36}$/)
    t.match((await deliveries())[0], { type: 'openid.logout', status: 'delivered', answerStatus: status })
  }
})

t.test('back-channel logout: every other answer is repeated, with a new token (400, 202, 503)', async t => {
  const answers = [400, 202, 503, 204]
  const { signInAndOut, receiver, received, run, deliveries } = await setUp(t, { answer: () => answers.shift() ?? 204 })
  await signInAndOut()
  for (const [attempts, answerStatus] of [400, 202, 503].entries()) {
    await received(attempts + 1)
    t.match(await deliveries(), [{ status: 'waiting', attempts: attempts + 1, answerStatus }])
  }
  await received(4)
  t.match(await deliveries(), [{ status: 'delivered', attempts: 4, answerStatus: 204 }])
  await run()
  t.equal(receiver.received.length, 4)
  const tokens = receiver.received.map(received => decodeJwt(tokenOf(received)))
  t.equal(new Set(tokens.map(({ jti }) => jti)).size, 4)
  t.equal(new Set(tokens.map(({ sid }) => sid)).size, 1)
})

t.test('back-channel logout: one that fails does not delay those of other sessions of the account', async t => {
  const failing: unknown[] = []
  const answer = (received: Received) => failing.includes(decodeJwt(tokenOf(received)).sid) ? 500 : 200
  const { signInAndOut, received, deliveries } = await setUp(t, { answer })
  failing.push(await signInAndOut())
  await received(1)
  await signInAndOut()
  const statuses = async () => (await deliveries()).map(({ status }) => status).join()
  await eventually(() => received(2).then(statuses), found => found === 'delivered,waiting')
})

t.test('back-channel logout: an endpoint that fails for a day is paused; resumed, it gets what waited', async t => {
  let status = 500
  const { app, owner, endpoint, signInAndOut, receiver, received, run } = await setUp(t, { answer: () => status })
  await signInAndOut()
  await received(1)
  await signInAndOut()
  await received(3)
  await owner.query(`UPDATE webhook_deliveries SET first_attempt_at = now() - interval '25 hours'
    WHERE id = (SELECT min(id) FROM webhook_deliveries)`)
  await eventually(() => run().then(() => app.webhooks.find(endpoint.id)), found => Boolean(found?.pausedAt))
  t.match(await app.webhooks.find(endpoint.id), { pausedFor: 'it has failed for a day' })
  const before = receiver.received.length
  await run()
  t.equal(receiver.received.length, before)
  status = 200
  t.ok(await app.webhooks.resume(endpoint.id))
  // An open transaction elsewhere can delay the announcement.
  await received(before + 1)
  t.equal(receiver.received.length, before + 1)
})

t.test('back-channel logout: a redirect is not followed (302)', async t => {
  const other = await startReceiver(t)
  const { signInAndOut, received, deliveries } = await setUp(t, {
    answer: (_received, response) => { response.writeHead(302, { location: other.url }).end() },
  })
  await signInAndOut()
  await received(2)
  t.match(await deliveries(), [{ status: 'waiting', answerStatus: 302 }])
  t.strictSame(other.received, [])
})

t.test('back-channel logout: private addresses get nothing, unless WEBHOOK_PRIVATE allows it', async t => {
  const settings = { WEBHOOK_PRIVATE: 'refuse' }
  const { app, application, endpoint, signInAndOut, receiver, run, deliveries } = await setUp(t, {
    settings, host: 'localhost',
  })
  await signInAndOut()
  await eventually(() => run().then(deliveries), ([first]) => Boolean(first?.error))
  t.match(await deliveries(), [{ status: 'waiting', answerStatus: null, error: /private or special address/ }])
  t.strictSame(receiver.received, [])
  for (const url of [receiver.url, 'http://169.254.169.254/', 'ftp://example.com/', 'https://me:pass@example.com/']) {
    const set = app.database.transact(client => app.logoutEndpoints.set(client, application.id, url))
    t.match(await set.catch(error => error), { statusCode: 400 }, url)
  }
  t.equal((await app.webhooks.find(endpoint.id))?.url, endpoint.url)
})

t.test('back-channel logout: the endpoint belongs to the application', async t => {
  const { app, application, endpoint } = await setUp(t)
  t.match(endpoint, { events: [], application })
  const webhook = (...args: string[]) => runCommand(app, ['webhook', ...args])
  t.match(await webhook('list'), { code: 0, stdout: /\n {2}sign-outs, for the application Wiki\n/ })
  for (const args of [
    ['remove', endpoint.id], ['rotate', endpoint.id], ['change', endpoint.id, '--url', 'https://other.example.com/'],
    ['change', endpoint.id, '--events', '*'],
  ]) t.match(await webhook(...args), { code: 1, stderr: /belongs to the application Wiki/ }, args.join(' '))
  t.match(await webhook('change', endpoint.id, '--notify', 'ops@example.com'), { code: 0 })
  t.match(await app.webhooks.find(endpoint.id), { url: endpoint.url, notify: 'ops@example.com' })
  t.match(await webhook('add', 'https://app.example.com/', '--events', 'openid.logout'), { code: 1, stderr: /Unknown/ })

  const set = (url: string | null) => app.logoutEndpoints.set(app.database, application.id, url)
  await set('https://wiki.example.com/logout')
  t.match(await app.webhooks.list(), [{ id: endpoint.id, url: 'https://wiki.example.com/logout' }], 'the same one')
  await set(null)
  t.strictSame(await app.webhooks.list(), [])
  await set('https://wiki.example.com/logout')
  await app.database.query('DELETE FROM applications')
  t.strictSame(await app.webhooks.list(), [])
})

t.test('back-channel logout: sent within seconds by an instance that listens', async t => {
  const { app, owner } = await build(t, { settings: SETTINGS })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const receiver = await startReceiver(t)
  const { id } = await addApplication(app, receiver.url)
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  await addGrant(owner, id, sessionOf(browser))
  await browser.post('/logout')
  await eventually(() => receiver.received.length, count => count === 1)
})

t.test('back-channel logout: an event that version 0.2 chose for the endpoint logs nobody out', async t => {
  const { deliveries, endpoint, owner, received, signInAndOut } = await setUp(t)
  await owner.query("UPDATE webhooks SET events = '{*}' WHERE id = $1", [endpoint.id])
  await signInAndOut()
  await received(1)
  t.strictSame((await deliveries())?.map(({ type }) => type), ['openid.logout'])
})
