// One of two instances, the Redis primary and the PostgreSQL primary die in the same second.
// UPDATE_DOCS=1 writes the table and the picture in docs/reliability.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createUser, NO_LIMITS } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { startReplicatedPostgres } from '../support/failover/failover-fixture.ts'
import { withoutHaproxy } from '../support/failover/haproxy.ts'
import { timelineChart, timelineTable, type Notes } from '../support/failover/timeline-report.ts'
import { bySecond, observe, succeeded } from '../support/failover/timeline.ts'
import { startService } from '../support/faults/service.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { startSentinel } from '../support/redis-nodes.ts'
import { startSmtp } from '../support/smtp.ts'

const PAIRS = 12
/** What a manager such as Patroni needs to notice the loss is set by its operator. Here it takes this long. */
const UNTIL_PROMOTION = 5_000
const AFTERWARDS = 6_000
const skip = withoutRedis || withoutHaproxy || withoutNginx
const DOC = 'docs/reliability.md'
const BETWEEN = /(<!-- zone loss -->\n)[^]*(<!-- end of zone loss -->)/

t.test('a zone is lost: what users see, second by second', { skip, timeout: HANG_TIMEOUT }, async t => {
  const [database, redis, mail] = await Promise.all([
    startReplicatedPostgres(t),
    startSentinel(t, { sentinels: 3 }),
    startSmtp(t),
  ])
  const parts = { database, counters: redis.master, mail }
  const crashes: string[] = []
  const start = () =>
    startService(t, parts, { ...NO_LIMITS, REDIS_URL: redis.url }, what => crashes.push(what))
  const services = [await start(), await start()] as const
  const frontEnd = await startFrontEnd(t, { instances: [services[0].port, services[1].port] })
  const nameOfNew = async () => (await createUser(database.primary.owner)).username
  const newPair = async () => ({ member: await nameOfNew(), newcomer: await nameOfNew() })
  const pairs = await Promise.all(Array.from({ length: PAIRS }, newPair))
  const { observations, unserved, stop } = await observe(t, frontEnd, pairs)

  await eventually(() => observations.length, count => count > 100)
  await sleep(2_000)
  const zero = performance.now()
  await Promise.all([services[0].kill(), redis.master.stop(), database.killPrimary()])
  await sleep(UNTIL_PROMOTION)
  const promotedAt = performance.now()
  await database.promoteStandby()
  const isWell = () => observations.slice(-4 * PAIRS).every(succeeded)
  await eventually(isWell, Boolean)
  const wellAt = performance.now()
  await sleep(AFTERWARDS)
  await stop()

  const failed = observations.filter(each => !succeeded(each))
  t.strictSame(failed.filter(({ status, retryAfter }) => status !== 503 || !retryAfter), [], 'with Retry-After')
  t.strictSame(failed.filter(({ kind }) => kind === 'Access check'), [], 'no access check fails')
  const unexpected = unserved.filter(({ from, until }) => until < zero || from > wellAt)
  t.strictSame(unexpected, [], 'before and after, everybody is served')
  t.ok(failed.length > 0)
  t.strictSame(crashes, [])
  t.comment(`normal ${Math.round(wellAt - promotedAt)} ms after the promotion began`)

  const seconds = bySecond(observations, zero).filter(({ second }) => second >= -2)
  const promotion = Math.floor((promotedAt - zero) / 1_000)
  const notes: Notes = new Map([[0, 'the zone is lost'], [promotion, 'the standby is promoted']])
  const doc = readFileSync(DOC, 'utf8')
  t.match(doc, BETWEEN)
  if (!process.env.UPDATE_DOCS) return
  writeFileSync(DOC, doc.replace(BETWEEN, (_, begin, end) => `${begin}${timelineTable(seconds, notes)}\n${end}`))
  writeFileSync('docs/images/zone-loss.svg', timelineChart(seconds, notes))
})
