// SOAK_SECONDS sets the duration (600 by default). The purge runs every half minute: below 180 s shows little.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import t, { type Test } from 'tap'
import { createUser, NO_LIMITS } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { growth } from '../support/faults/flatness.ts'
import { startDependencies } from '../support/faults/dependencies.ts'
import { ageRecords } from '../support/faults/age-records.ts'
import { createRandom } from '../support/faults/random.ts'
import { startService, type Service } from '../support/faults/service.ts'
import { createTrafficClient } from '../support/faults/soak-traffic.ts'

const SECONDS = Number(process.env.SOAK_SECONDS ?? 600)
const SERVICES = 2
const CLIENTS = 12
const SAMPLE_EVERY = 1_000
const AGE_RECORDS_EVERY = 5_000
/** V8 leaves garbage in memory as long as there is plenty of it, and the more the busier the machine is. */
const COLLECT = 'data:text/javascript,setInterval(gc,1000).unref()'
const SETTINGS = { ...NO_LIMITS, NODE_OPTIONS: `--expose-gc --import=${COLLECT}` }
const TABLES = ['users', 'refresh_tokens', 'one_time_tokens', 'auth_events', 'pgboss.job']

/** What must not grow. Growth counts when it exceeds both this share and this amount. */
const LARGE: Record<string, { share: number, least: number }> = {
  'RSS of a service, MB': { share: 0.08, least: 15 },
  'file descriptors of a service': { share: 0.1, least: 5 },
}
/** Of docs/capacity.md: the pool, two for the job queue, one for revocations. Some more may be closing. */
const MOST_CONNECTIONS = SERVICES * (10 + 3) + 4
/** The same for tables, divided by the requests of the last minute: more requests write more rows. */
const LARGE_PER_REQUEST = { share: 0.5, least: 0.05 }
const MINUTE = 60_000 / SAMPLE_EVERY

type Sample = Record<string, number>

function sampleProcess ({ pid }: Service): [rss: number, descriptors: number] {
  const rss = Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)?.[1]) / 1024
  return [rss, readdirSync(`/proc/${pid}/fd`).length]
}

async function sampleDatabase (owner: Pool): Promise<Sample> {
  const {
    rows: [{ count }],
  } = await owner.query("SELECT count(*)::int FROM pg_stat_activity WHERE usename = 'gatehouse'")
  const sample: Sample = { 'database connections': count }
  for (const table of TABLES) {
    const {
      rows: [{ rows, kb }],
    } = await owner.query(`
      SELECT (SELECT count(*)::int FROM ${table}) AS rows,
        (SELECT sum(pg_total_relation_size(relid))::bigint / 1024 AS kb FROM pg_partition_tree('${table}')
         UNION ALL SELECT pg_total_relation_size('${table}') / 1024 ORDER BY kb DESC NULLS LAST LIMIT 1) AS kb`)
    sample[`rows of ${table}`] = rows
    sample[`kB of ${table}`] = Number(kb)
  }
  return sample
}

async function sample (services: Service[], owner: Pool): Promise<Sample> {
  const processes = services.map(sampleProcess)
  return {
    'RSS of a service, MB': Math.max(...processes.map(([rss]) => rss)),
    'file descriptors of a service': Math.max(...processes.map(([, descriptors]) => descriptors)),
    ...(await sampleDatabase(owner)),
  }
}

/** Queues the purge as its schedule does, but more often. */
async function startPurging (t: Test, connectionString: string) {
  const sender = new PgBoss({ connectionString, schema: 'pgboss', migrate: false, supervise: false, schedule: false })
  sender.on('error', () => {})
  await sender.start()
  t.teardown(() => sender.stop())
  return () => sender.send('purge', {})
}

const timeout = (SECONDS + 120) * 1_000
t.setTimeout(timeout)
t.test(`${SECONDS} s of mixed traffic: nothing grows`, { skip: withoutRedis, timeout }, async t => {
  const parts = await startDependencies(t)
  const { database, mail } = parts
  const { owner } = database
  await owner.query("ALTER SYSTEM SET autovacuum_naptime = '5s'")
  await owner.query('SELECT pg_reload_conf()')
  const crashes: string[] = []
  const services = await Promise.all(
    Array.from({ length: SERVICES }, () => startService(t, parts, SETTINGS, what => crashes.push(what)))
  )
  const purge = await startPurging(t, database.url(database.port))
  const random = createRandom(1)
  const ports = services.map(({ port }) => port)
  const end = performance.now() + SECONDS * 1_000
  const isRunning = () => performance.now() < end
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  let requests = 0
  const samples: Sample[] = []

  async function sendTraffic () {
    const client = createTrafficClient(ports, random.fork(), (await createUser(owner)).username)
    while (isRunning()) {
      const { operation, status } = await client.send()
      requests++
      statuses[`${status}`] = (statuses[`${status}`] ?? 0) + 1
      // A health check that times out says so (503), and is no failure of a request.
      const isReport = operation === 'health' && status === 503
      if (!isReport && (status === null || status >= 500)) failures.push(`${operation}: ${status}`)
      await sleep(random.between(10, 100))
    }
  }

  async function every (ms: number, work: () => Promise<unknown>) {
    while (isRunning()) await Promise.all([work(), sleep(ms)])
  }

  await Promise.all([
    ...Array.from({ length: CLIENTS }, sendTraffic),
    every(SAMPLE_EVERY, async () => samples.push({ requests, ...(await sample(services, owner)) })),
    every(AGE_RECORDS_EVERY, async () => {
      await ageRecords(owner)
      await purge()
      mail.mails.length = 0
    }),
    every(10_000, async () =>
      console.error(
        `# ${Math.round((end - performance.now()) / 1000)} s left,`,
        `${JSON.stringify(statuses)}, ${summary(samples.at(-1))}`
      )
    ),
  ])

  for (const [what, large] of Object.entries(LARGE)) {
    t.equal(
      growth(
        samples.map(each => each[what] as number),
        large
      ),
      undefined,
      what
    )
  }
  const connections = Math.max(...samples.map(each => each['database connections'] as number))
  t.ok(connections <= MOST_CONNECTIONS, `${connections} database connections`)
  for (const what of TABLES.flatMap(table => [`rows of ${table}`, `kB of ${table}`])) {
    t.equal(growth(perRequest(samples, what), LARGE_PER_REQUEST), undefined, what)
  }
  t.strictSame(failures, [], 'no failures')
  t.strictSame(crashes, [])
  t.comment(`at the end: ${summary(samples.at(-1))}`)
})

function perRequest (samples: Sample[], what: string): number[] {
  return samples
    .slice(MINUTE)
    .map(
      (sample, index) =>
        (sample[what] as number) / ((sample.requests as number) - (samples[index]?.requests as number))
    )
}

const summary = (sample: Sample = {}) =>
  Object.entries(sample)
    .map(([what, value]) => `${what} ${Math.round(value)}`)
    .join(', ')
