// A Redis primary dies under a flood of logins. The limits hold within a bound, and no user notices.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { REDIS_TOPOLOGIES } from '../support/failover/redis-topologies.ts'
import { createCookieClient, freshAddress } from '../support/faults/cookie-client.ts'
import { startDependencies } from '../support/faults/dependencies.ts'
import { startService } from '../support/faults/service.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'

/** Between two requests of one client. */
const PAUSE = 20
const LIMIT = 5
const INSTANCES = 2
const ATTACKERS = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
/**
 * Counted by Redis until it dies, by each instance until the new primary is found, and by the new primary, which may
 * not have received the last counts.
 */
const BOUND = LIMIT * (1 + INSTANCES + 1)

/** Until both instances count in the new primary, in milliseconds. */
const MAX_RECOVERY = 10_000
const TOPOLOGIES = { 'three sentinels': REDIS_TOPOLOGIES.sentinel, 'a cluster of six nodes': REDIS_TOPOLOGIES.cluster }

for (const [name, startTopology] of Object.entries(TOPOLOGIES)) {
  t.test(`${name}: a primary dies under a login flood`, { skip: withoutRedis, timeout: HANG_TIMEOUT }, async t => {
    const [parts, { url, killPrimary }] = await Promise.all([startDependencies(t), startTopology(t)])
    const start = () => startService(t, parts, { REDIS_URL: url, LIMIT_ACCOUNT_MAX: '100000' }, what => t.fail(what))
    const services = [await start(), await start()]
    const { username } = await createUser(parts.database.owner)
    const cache = async (port: number) => {
      const response = await fetch(`http://127.0.0.1:${port}/health`)
      return ((await response.json()) as { checks: { cache: string } }).checks.cache
    }
    for (const { port } of services) await eventually(() => cache(port), state => state === 'ok')

    const checked = new Map(ATTACKERS.map(address => [address, 0]))
    const users: Array<number | undefined> = []
    const ending = new AbortController()
    t.teardown(() => ending.abort())
    const logIn = async (port: number, address: string, password: string) =>
      (await createCookieClient().send(port, { path: '/login', address, body: { username, password } }))?.status

    async function guess (address: string) {
      for (let count = 0; !ending.signal.aborted; count++) {
        const guesses = services.map(({ port }) => logIn(port, address, `gu3ss-In-the-dark-${count}`))
        const wrong = (await Promise.all(guesses)).filter(status => status === 401).length
        checked.set(address, (checked.get(address) ?? 0) + wrong)
        await sleep(PAUSE)
      }
    }
    async function signIn (port: number) {
      while (!ending.signal.aborted) {
        users.push(await logIn(port, freshAddress(), PASSWORD))
        await sleep(PAUSE)
      }
    }
    const flood = Promise.all([...ATTACKERS.map(guess), ...services.map(({ port }) => signIn(port))])
    const more = async () => {
      const before = users.length
      await eventually(() => users.length, count => count > before + 20)
    }

    await more()
    const diedAt = performance.now()
    await killPrimary()
    for (const { port } of services) await eventually(() => cache(port), state => state === 'error')
    for (const { port } of services) await eventually(() => cache(port), state => state === 'ok')
    const found = Math.round(performance.now() - diedAt)
    t.ok(found <= MAX_RECOVERY, `the new primary counts ${found} ms after the old one died`)
    await more()
    ending.abort()
    await flood

    t.strictSame(users.filter(status => status !== 200), [], 'no user failed to sign in')
    for (const [address, count] of checked) {
      t.ok(count >= LIMIT, `${address}: ${count} passwords were checked`)
      t.ok(count <= BOUND, `at most ${BOUND}`)
    }
    const late = await logIn(services[0]!.port, ATTACKERS[0] as string, PASSWORD)
    t.equal(late, 429, 'the attacker is still locked out')
  })
}
