// A part of the service is away while a session is bound to its device: nobody is signed out, and the browser (the
// whole Chromium) keeps its key. The instances are processes of their own, in production mode, behind HTTPS.
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createUser, NO_LIMITS } from '../support/browser.ts'
import { checkOutEarlierVersion } from '../support/deploy/earlier-version.ts'
import { productionSettings, startInstance, startInstances } from '../support/deploy/instances.ts'
import { withoutFullChromium } from '../support/chromium.ts'
import { openBoundBrowser, type BoundBrowser } from '../support/devices/bound-browser.ts'
import { PROOF, REFRESH, REGISTRATION } from '../support/devices/bound-service.ts'
import { startTlsFront } from '../support/devices/tls-front.ts'
import { startProxy } from '../support/faults/tcp-proxy.ts'
import { eventually } from '../support/patience.ts'
import { gatehouse } from '../support/process.ts'
import { withoutRedis } from '../support/build.ts'

const MINUTE = 60_000

async function prepare (t: Test, { empty = false } = {}) {
  const front = await startTlsFront(t, 'auth.example.com')
  const { owner, settings } = await productionSettings(t, { empty })
  const url = new URL(settings.DATABASE_URL as string)
  const postgres = await startProxy(t, Number(url.port))
  url.port = String(postgres.port)
  const env = {
    ...settings, ...NO_LIMITS, PUBLIC_URL: front.url, DATABASE_URL: url.href, DEVICE_BOUND_SESSIONS: 'on',
  }
  const count = async (text: string) => (await owner.query(text)).rowCount
  return {
    front,
    owner,
    postgres,
    env,
    alarms: () => count("SELECT FROM auth_events WHERE what = 'session_theft_suspected'"),
    reused: () => count("SELECT FROM auth_events WHERE what = 'refresh_reuse'"),
  }
}

/** The browser still has its key and proves it. It may wait for a while after failures. */
async function goesOn (t: Test, browser: BoundBrowser) {
  t.equal(await eventually(browser.refresh, status => status === 200), 200, 'the user is signed in')
  t.equal(await browser.send('GET', '/api/auth/me'), 200)
  const before = browser.verdicts.length
  t.equal(await browser.refresh(), 200)
  t.match(browser.verdicts.slice(before).findLast(({ refreshEventDetails }) => refreshEventDetails), {
    succeeded: true, refreshEventDetails: { refreshResult: 'Refreshed' },
  }, 'with its key')
  t.notOk(browser.verdicts.some(({ terminationEventDetails }) => terminationEventDetails), 'it never dropped the key')
}

t.test('a part is away', { skip: withoutFullChromium || withoutRedis }, async t => {
  const { front, owner, postgres, env, alarms, reused } = await prepare(t)
  const { instances, ports } = await startInstances(t, env)
  front.sendTo(...ports)

  async function signedIn (t: Test) {
    const user = await createUser(owner)
    const browser = await openBoundBrowser(t, front)
    t.equal(await browser.signIn(user.username), 200)
    t.equal(await browser.refresh(), 200)
    return browser
  }

  await t.test('PostgreSQL is gone for a minute', async t => {
    const browser = await signedIn(t)
    await postgres.set({ kind: 'refuse' })
    const until = performance.now() + MINUTE
    const statuses = new Set<number>()
    while (performance.now() < until) {
      statuses.add(await browser.refresh())
      await sleep(3_000)
    }
    t.strictSame([...statuses], [503])
    t.ok(front.of(PROOF).every(({ status }) => status === 200 || status === 403), 'proofs need no database')
    await postgres.clear()
    await goesOn(t, browser)
  })

  await t.test('the proof route hangs', async t => {
    const browser = await signedIn(t)
    front.faults.set(PROOF, 'hang')
    const refreshing = browser.refresh()
    await eventually(() => front.of(PROOF).at(-1)?.status, status => status === 0)
    t.equal(await browser.send('GET', '/api/auth/me'), 200, 'nothing else waits for it')
    t.equal(await refreshing, 503)
    t.ok(front.of(REFRESH).at(-1)?.headers['secure-session-skipped'], 'the browser says that it has no proof')
    front.repair()
    await goesOn(t, browser)
  })

  await t.test('an instance is killed between the proof and the refresh', async t => {
    const browser = await signedIn(t)
    const [first, second] = instances as [typeof instances[0], typeof instances[0]]
    front.sendTo(first.port)
    front.faults.set(REFRESH, 'hang')
    const refreshing = browser.refresh()
    await eventually(() => front.of(REFRESH).at(-1)?.status, status => status === 0)
    await first.stop('SIGKILL')
    front.repair()
    t.ok([0, 502].includes(await refreshing), 'the reverse proxy has not noticed yet')
    t.equal(await browser.refresh(), 502)
    front.sendTo(second.port)
    await goesOn(t, browser)
    await first.start()
    front.sendTo(...ports)
  })

  await t.test('the response to a refresh is lost, and the next try comes minutes later', async t => {
    const browser = await signedIn(t)
    front.faults.set(REFRESH, 'lose')
    t.equal(await browser.refresh(), 0)
    front.repair()
    await owner.query("UPDATE refresh_tokens SET rotated_at = rotated_at - interval '5 minutes'")
    await goesOn(t, browser)
  })

  await t.test('the response to the registration is lost: the browser registers the same key again', async t => {
    const { username, password } = await createUser(owner)
    const browser = await openBoundBrowser(t, front)
    await browser.visit()
    front.faults.set(REGISTRATION, 'lose once')
    const before = front.of(REGISTRATION).length
    t.equal(await browser.send('POST', '/login', { username, password }), 200)
    await eventually(() => browser.verdicts, ([verdict]) => verdict?.creationEventDetails !== undefined)
    t.match(front.of(REGISTRATION).slice(before), [{ status: 0 }, { status: 200 }])
    await goesOn(t, browser)
  })

  t.equal(await alarms(), 0, 'no false alarm')
  t.equal(await reused(), 0)
})

t.test('a rolling upgrade from version 0.2', { skip: withoutFullChromium || withoutRedis }, async t => {
  const { front, owner, env, alarms } = await prepare(t, { empty: true })
  const earlier = checkOutEarlierVersion(t)
  const before = { ...env, DEVICE_BOUND_SESSIONS: 'off' }
  t.match(await gatehouse(['migrate'], env, { program: earlier }).ended, { code: 0 })
  const old = await startInstance(t, before, earlier)
  front.sendTo(old.port)
  const browser = await openBoundBrowser(t, front)
  const user = await createUser(owner)
  await browser.visit()
  t.equal(await browser.send('POST', '/login', { username: user.username, password: user.password }), 200)

  t.match(await gatehouse(['migrate'], env).ended, { code: 0 })
  const unbound = await startInstance(t, before)
  front.sendTo(old.port, unbound.port)
  for (let turn = 0; turn < 6; turn++) t.equal(await browser.refresh(), 200, 'versions 0.2 and today')
  t.equal(front.of(PROOF).length, 0)

  const bound = await startInstance(t, env)
  front.sendTo(bound.port)
  for (let turn = 0; turn < 2; turn++) t.equal(await browser.refresh(), 200, 'a session from before is not bound')
  t.equal(await browser.signIn(user.username), 200)
  front.sendTo(bound.port, unbound.port)
  for (let turn = 0; turn < 4; turn++) t.equal(await browser.refresh(), 200, 'with the setting in one instance')
  front.sendTo(bound.port)
  await goesOn(t, browser)

  front.sendTo(unbound.port)
  await browser.context.clearCookies({ name: 'device_proof' })
  t.equal(await browser.refresh(), 200, 'turned off again')
  front.sendTo(bound.port)
  await goesOn(t, browser)
  t.equal(await alarms(), 0, 'no false alarm')
})
