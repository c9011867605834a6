// The primary dies under traffic. The checker of the fault history decides whether anything acknowledged was lost.
import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { withoutRedis, type pg } from '../support/build.ts'
import { startReplicatedPostgres } from '../support/failover/failover-fixture.ts'
import { withoutHaproxy } from '../support/failover/haproxy.ts'
import { checkNotifications } from '../support/failover/listeners.ts'
import { mailsInFlight, mailsInFlightOn } from '../support/failover/mail-jobs.ts'
import { checkRecovery } from '../support/failover/recovery.ts'
import { startTraffic } from '../support/failover/under-traffic.ts'
import { createCookieClient } from '../support/faults/cookie-client.ts'
import { startCounterStore } from '../support/faults/dependencies.ts'
import { startService } from '../support/faults/service.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { startSmtp } from '../support/smtp.ts'

const skip = withoutRedis || withoutHaproxy
const CONNECTIONS = `
  SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
  WHERE application_name IN ('gatehouse', 'gatehouse jobs', 'gatehouse revocations') GROUP BY 1`

async function connectionsTo (owner: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ name: string, count: number }>(CONNECTIONS)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

for (const access of ['HAProxy', 'a list of servers']) {
  t.test(`the primary dies under traffic, through ${access}`, { skip, timeout: HANG_TIMEOUT }, async t => {
    const [database, counters, mail] = await Promise.all([
      startReplicatedPostgres(t),
      startCounterStore(t),
      startSmtp(t),
    ])
    const { primary, standby } = database
    const list = database.url(primary.port).replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`)
    const settings: Record<string, string> = access === 'HAProxy' ? {} : { DATABASE_URL: list }
    const { username, email } = await createUser(primary.owner)
    const parts = { database, counters, mail }
    const traffic = await startTraffic(t, {
      name: `failover-${access.at(0)}`,
      parts,
      owner: primary.owner,
      settings,
    })
    const { recorder, services } = traffic
    const signIn = async (port: number, client = createCookieClient(undefined, { repeats: false })) =>
      (await client.send(port, { path: '/login', body: { username, password: PASSWORD } }))?.status
    const more = async () => {
      const before = traffic.successes()
      await eventually(traffic.successes, count => count > before + 60)
    }

    await more()
    // The mail server accepts these only after the primary has died: nothing records that they were sent.
    mail.stall()
    const askReset = () => createCookieClient().send(services[0]!.port, { path: '/reset-password', body: { email } })
    t.match(await askReset(), { status: 202 })
    await eventually(() => mailsInFlight(primary.owner), jobs => jobs.length > 0)
    const from = recorder.now()
    await database.killPrimary()
    mail.goOn()
    const inFlight = await mailsInFlightOn(standby.owner)
    t.ok(inFlight.length > 0, 'mails were being sent')
    await database.promoteStandby()
    await checkRecovery(t, services, signIn)
    await eventually(
      () => connectionsTo(standby.owner),
      names => names['gatehouse revocations'] === 2 && (names['gatehouse jobs'] ?? 0) >= 2
    )
    await checkNotifications(t, standby.owner)
    await more()

    // As a second server that accepts writes: it was never told of the promotion. For a moment it is the only one.
    await primary.restart()
    await standby.stop()
    for (const { port } of services) t.equal(await signIn(port), 503)
    await standby.restart()
    inFlight.push(...await mailsInFlight(standby.owner))
    await more()
    const fresh = await startService(t, parts, { LIMIT_ACCOUNT_MAX: '100000', ...settings }, what => t.fail(what))
    await eventually(() => signIn(fresh.port), status => status === 200)
    t.strictSame(await connectionsTo(primary.owner), {}, 'the former primary is not used')
    recorder.write({ type: 'fault', what: 'PostgreSQL failover', from, until: recorder.now() })

    const leaver = createCookieClient()
    await eventually(() => signIn(services[0]!.port, leaver), status => status === 200)
    const copy = createCookieClient(new Map(leaver.cookies))
    const check = async () => (await copy.send(services[1]!.port, { method: 'GET', path: '/api/auth/verify' }))?.status
    t.equal(await check(), 204)
    t.match(await leaver.send(services[0]!.port, { path: '/logout' }), { status: 204 })
    await eventually(check, status => status === 401)
    await more()
    await traffic.check(t, standby.owner, inFlight)
  })
}
