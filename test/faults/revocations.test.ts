import { setTimeout as sleep } from 'node:timers/promises'
import root from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build, createDatabase, withoutRedis } from '../support/build.ts'
import { createCookieClient } from '../support/faults/cookie-client.ts'
import { startDependencies } from '../support/faults/dependencies.ts'
import { startService } from '../support/faults/service.ts'
import { startProxy } from '../support/faults/tcp-proxy.ts'
import { eventually } from '../support/patience.ts'

// The tests mostly wait, so they run concurrently.
root.jobs = 3

/** Longer than the age at which an instance no longer trusts its last read, and at which the feed is lost. */
const LOST = 6_000

root.test('an instance that was suspended knows what ended meanwhile, from its first response on', {
  skip: withoutRedis,
}, async t => {
  const parts = await startDependencies(t)
  const crashes: string[] = []
  const suspended = await startService(t, parts, {}, what => crashes.push(what))
  const { database, mail } = parts
  const { app } = await build(t, { settings: { DATABASE_URL: database.url(database.port), SMTP_URL: mail.url } })
  await app.jobs.connected()
  const { username } = await createUser(database.owner)
  const client = createBrowser(app)
  t.equal((await client.signIn(username)).statusCode, 200)
  const thief = createCookieClient(new Map(client.cookies), { repeats: false })
  const check = () => thief.send(suspended.port, { method: 'GET', path: '/api/auth/verify' })
  t.equal((await check())?.status, 204)

  suspended.freeze()
  t.equal((await client.post('/logout')).statusCode, 204)
  await sleep(LOST)
  const first = check()
  await sleep(100)
  // The request is there before the revocation can be.
  await suspended.proxies.postgres.set({ kind: 'delay', ms: 50 })
  suspended.thaw()
  t.equal((await first)?.status, 401)
  t.strictSame(crashes, [])
})

async function startNeighbour () {
  const { owner, settings } = await createDatabase(root)
  const { app: neighbour } = await build(root, { settings: { ...NO_LIMITS, ...settings } })
  return { owner, settings, neighbour }
}
let shared: ReturnType<typeof startNeighbour> | undefined

for (const [setting, status] of [['allow', 204], ['refuse', 503]] as const) {
  root.test(`REVOCATION_FEED_LOST=${setting}: access checks while PostgreSQL is away (${status})`, async t => {
    const { owner, settings, neighbour } = await (shared ??= startNeighbour())
    const address = new URL(settings.DATABASE_URL)
    const proxy = await startProxy(t, Number(address.port))
    address.port = String(proxy.port)
    const { app, log } = await build(t, {
      settings: { ...settings, DATABASE_URL: address.href, REVOCATION_FEED_LOST: setting },
    })
    const user = await createUser(owner)
    const [leaver, stayer] = [createBrowser(neighbour), createBrowser(neighbour)]
    for (const browser of [leaver, stayer]) await browser.signIn(user.username)
    const check = (access = '') => app.inject({ url: '/api/auth/verify', cookies: { access_token: access } })
    const [left, stayed] = [leaver, stayer].map(({ cookies }) => cookies.get('access_token'))
    for (const access of [left, stayed]) t.equal((await check(access)).statusCode, 204)

    await proxy.set({ kind: 'refuse' })
    await leaver.post('/logout')
    await eventually(() => app.revocations.isUp(), isUp => !isUp)
    for (const access of [left, stayed]) {
      const { statusCode, headers } = await check(access)
      t.equal(statusCode, status)
      t.equal(headers['retry-after'], status === 503 ? '5' : undefined)
    }
    t.equal((await app.inject('/api/auth/verify')).statusCode, status === 503 ? 503 : 401)
    t.match(log.text, /revocations cannot be read/)

    await proxy.clear()
    await eventually(() => check(left), ({ statusCode }) => statusCode === 401)
    t.equal((await check(stayed)).statusCode, 204)
  })
}
