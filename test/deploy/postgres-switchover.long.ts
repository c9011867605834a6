import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startReplicatedPostgres } from '../support/failover/failover-fixture.ts'
import { withoutHaproxy } from '../support/failover/haproxy.ts'
import { replicationFrom } from '../support/failover/postgres-pair.ts'
import { checkRecovery } from '../support/failover/recovery.ts'
import { createCookieClient, type ClientRequest } from '../support/faults/cookie-client.ts'
import { startCounterStore } from '../support/faults/dependencies.ts'
import { startService } from '../support/faults/service.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { repeatRefused } from '../support/repeat-refused.ts'
import { startSmtp } from '../support/smtp.ts'

const CLIENTS = 4
const skip = withoutRedis || withoutHaproxy

interface Sent { path: string, status?: number, retryAfter?: string }

const isServed = (response: { status?: number } | null) => response?.status === 200 || response?.status === 204

t.test('switch-over under traffic: 503 with Retry-After until the promotion, and nothing else', {
  skip, timeout: HANG_TIMEOUT,
}, async t => {
  const [database, counters, mail] = await Promise.all([
    startReplicatedPostgres(t),
    startCounterStore(t),
    startSmtp(t),
  ])
  const { primary, standby } = database
  const start = () => startService(t, { database, counters, mail }, NO_LIMITS, what => t.fail(what))
  const services = [await start(), await start()]
  const { username } = await createUser(primary.owner)
  const login = { path: '/login', body: { username, password: PASSWORD } }
  const sent: Sent[] = []
  const unserved: Sent[] = []
  const ending = new AbortController()

  /** One user stays signed in and others sign in: a sign-in whose response is lost may have ended a session. */
  async function act (port: number) {
    const newClient = () => createCookieClient(undefined, { repeats: false })
    const signedIn = newClient()
    const send = async (request: ClientRequest, client = signedIn) => {
      const { path } = request
      const response = await repeatRefused(async () => {
        const response = await client.send(port, request)
        sent.push({ path, status: response?.status, retryAfter: response?.headers['retry-after'] })
        return response
      })
      if (!isServed(response)) unserved.push({ path, status: response?.status })
    }
    await eventually(() => signedIn.send(port, login), response => response?.status === 200)
    while (!ending.signal.aborted) {
      await send({ path: '/api/auth/refresh' })
      await sleep(20)
      await send({ method: 'GET', path: '/api/auth/verify' })
      await sleep(20)
      await send(login, newClient())
      await sleep(20)
    }
  }

  const acting = Promise.all(Array.from({ length: CLIENTS }, (_, index) => act(services[index % 2]!.port)))
  t.teardown(() => ending.abort())
  const more = async () => {
    const before = sent.length
    await eventually(() => sent.length, count => count > before + 80)
  }
  await more()
  await database.stopPrimary()
  await database.promoteStandby()
  await checkRecovery(t, services, async port => (await createCookieClient().send(port, login))?.status)
  await more()
  ending.abort()
  await acting

  const failed = sent.filter(each => !isServed(each))
  t.strictSame(failed.filter(({ status, retryAfter }) => status !== 503 || !retryAfter), [], 'with Retry-After')
  t.strictSame(failed.filter(({ path }) => path === '/api/auth/verify'), [], 'no access check fails')
  t.strictSame(unserved, [], 'everybody is served, if not at once')
  t.ok(failed.length > 0, 'there was an outage')
  t.comment(`${failed.length} of ${sent.length} requests failed`)

  await primary.restart(replicationFrom(standby.port), { asStandby: true })
  const replicas = () => standby.owner.query<{ state: string }>('SELECT state FROM pg_stat_replication')
  const { rows } = await eventually(replicas, ({ rows }) => rows[0]?.state === 'streaming')
  t.equal(rows.length, 1, 'the former primary follows the new one')
})
