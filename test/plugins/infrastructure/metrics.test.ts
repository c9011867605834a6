import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { createBrowser, createUser, PASSWORD } from '../../support/browser.ts'
import {
  BASE_SETTINGS,
  build,
  buildShared,
  createDatabase,
  SERVICE_PASSWORD,
  startOwnPostgres,
  startRedis,
  TEMPLATE,
  withoutRedis,
} from '../../support/build.ts'
import { lookInside, openToQuestions } from '../../support/inspect-process.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse, SOURCE } from '../../support/process.ts'
import { metricOf, scrape } from '../../support/scrape.ts'
import { addTotp, codeOf, wrongCode } from '../../support/second-factor.ts'
import { startSmtp } from '../../support/smtp.ts'

async function setUp (t: Test, settings: Record<string, string> = {}, withoutJobs = false) {
  const service = await build(t, { settings: { METRICS_PORT: '0', ...settings }, withoutJobs })
  const url = (await service.app.metrics.listen()) as string
  return { ...service, url, figures: () => scrape(url) }
}

let sharedUrl: Promise<string | undefined> | undefined

/** One service for the tests whose metrics no test before them changes. */
async function share (t: Test) {
  const service = await buildShared(t, { settings: { METRICS_PORT: '0' } })
  const url = await (sharedUrl ??= service.app.metrics.listen()) as string
  return { ...service, url, figures: () => scrape(url) }
}

t.test('requests by route, method and status; unknown paths, methods and queries add no series', async t => {
  const { app, figures } = await share(t)
  const count = async (labels: string) => (await figures()).get(`gatehouse_request_duration_seconds_count{${labels}}`)
  const junk = async (round: string) => {
    for (const url of [
      `/${round}`,
      `/login/${round}`,
      `/api/content/${round}`,
      `/health/live?${round}`,
      `/gatehouse/${round}.js`,
      `/api/auth/verify;${round}`,
    ]) {
      for (const method of ['GET', 'POST', 'DELETE', 'HEAD', 'PROPFIND'] as const) await app.inject({ method, url })
    }
  }
  await app.inject('/health/live')
  await app.inject('/api/auth/verify')
  await app.inject({ method: 'HEAD', url: '/health/live' })
  t.equal(await count('route="/health/live",method="GET",status="200"'), 1)
  t.equal(await count('route="/health/live",method="HEAD",status="200"'), 1)
  t.equal(await count('route="/api/auth/verify",method="GET",status="401"'), 1)

  await junk('junk')
  const own = async () => [...(await figures()).keys()].filter(series => series.startsWith('gatehouse_'))
  const before = await own()
  for (let round = 0; round < 20; round++) await junk(`junk${round}`)
  const after = await own()
  t.strictSame(after, before)
  t.notOk(after.some(series => series.includes('junk') || series.includes('PROPFIND')))
  t.ok(after.some(series => series.includes('route="none",method="none",status="404"')))
})

t.test('histogram: buckets are cumulative, the sum is the time taken', async t => {
  const { app, figures } = await share(t)
  const observe = app.metrics.durations('test_seconds', 'x')({ part: 'a' })
  for (const seconds of [0.0005, 0.003, 0.003, 60]) observe(seconds)
  const found = await figures()
  const bucket = (le: string) => found.get(`test_seconds_bucket{part="a",le="${le}"}`)
  t.strictSame([bucket('0.0005'), bucket('0.0025'), bucket('0.005'), bucket('10'), bucket('+Inf')], [1, 1, 3, 3, 4])
  t.equal(found.get('test_seconds_count{part="a"}'), 4)
  t.ok(Math.abs((found.get('test_seconds_sum{part="a"}') ?? 0) - 60.0065) < 1e-9)
})

t.test('hashing: queue length, duration and refusals', async t => {
  const { app, figures } = await share(t)
  const most = (await figures()).get('gatehouse_hashing_waiting_max') as number
  const { promise: go, resolve: begin } = Promise.withResolvers<void>()
  const works: Array<Promise<void>> = []
  while (app.passwords.queue.waiting < most) works.push(app.passwords.queue.run(() => go))
  await t.rejects(app.passwords.verify(PASSWORD))

  const full = await figures()
  t.equal(full.get('gatehouse_hashing_waiting'), most)
  t.equal(full.get('gatehouse_hashing_running'), works.length - most)
  t.equal(full.get('gatehouse_hashing_refused_total'), 1)
  t.equal(full.get('gatehouse_hashing_wait_seconds_count'), works.length - most)
  begin()
  await Promise.all(works)

  const idle = await figures()
  t.equal(idle.get('gatehouse_hashing_waiting'), 0)
  t.equal(idle.get('gatehouse_hashing_running'), 0)
  t.equal(idle.get('gatehouse_hashing_wait_seconds_count'), works.length)
  t.ok((idle.get('gatehouse_hashing_wait_seconds_sum') ?? 0) > 0)
})

t.test('logins, limits and refreshes by outcome', async t => {
  const { app, owner, figures } = await setUp(t, {
    LIMIT_LOGIN_MAX: '2',
    LIMIT_GENERAL_MAX: '4',
    LIMIT_SENSITIVE_MAX: '1',
    LIMIT_ACCOUNT_MAX: '3',
  })
  const { username } = await createUser(owner)
  const start = await figures()
  t.equal(
    start.get('gatehouse_refreshes_total{outcome="reused"}'),
    0,
    'present from the start, so that the first event is a change'
  )

  const browser = createBrowser(app)
  await browser.signIn(username)
  const stolen = browser.cookies.get('refresh_token') as string
  await browser.refresh()
  browser.cookies.set('refresh_token', stolen)
  t.equal((await browser.refresh()).statusCode, 200)
  await owner.query("UPDATE refresh_tokens SET rotated_at = rotated_at - interval '1 minute'")
  browser.cookies.set('refresh_token', stolen)
  t.equal((await browser.refresh()).statusCode, 401)
  browser.cookies.set('refresh_token', 'nonsense')
  t.equal((await browser.refresh()).statusCode, 401)
  browser.cookies.set('refresh_token', stolen)
  t.equal((await browser.refresh()).statusCode, 401)
  t.equal((await browser.refresh()).statusCode, 429)

  const guesser = createBrowser(app)
  for (let guess = 0; guess < 3; guess++) await guesser.signIn(username, 'wrong')
  const another = createBrowser(app)
  for (let guess = 0; guess < 2; guess++) await another.signIn(username, 'wrong')
  for (let ask = 0; ask < 2; ask++) await guesser.post('/reset-password', { email: 'nobody@example.com' })
  for (let ask = 0; ask < 5; ask++) await guesser.get('/api/auth/provider-a')

  const found = await figures()
  const decisions = (limit: string) =>
    ['passed', 'refused'].map(outcome =>
      found.get(`gatehouse_limit_decisions_total{limit="${limit}",outcome="${outcome}"}`)
    )
  const refreshes = (outcome: string) => found.get(`gatehouse_refreshes_total{outcome="${outcome}"}`)
  const events = (event: string) => found.get(`gatehouse_events_total{event="${event}"}`)
  t.strictSame(['rotated', 'repeated', 'reused', 'refused'].map(refreshes), [1, 1, 1, 2])
  t.strictSame(['sign_in', 'sign_in_failed', 'refresh_reuse'].map(events), [1, 3, 1])
  t.strictSame(decisions('login'), [5, 1])
  t.strictSame(decisions('account'), [4, 1])
  t.strictSame(decisions('sensitive'), [1, 1])
  t.strictSame(decisions('session'), [5, 1])
  t.strictSame(decisions('anonymous'), [4, 1])
})

t.test('sign-ins by method, and second factors by outcome', async t => {
  const { app, owner, figures } = await share(t)
  const plain = await createUser(owner)
  const user = await createUser(owner)
  const factor = await addTotp(owner, user.id)
  await createBrowser(app).signIn(plain.username)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await browser.post('/login/second-factor', { code: wrongCode(factor.secret) })
  await browser.post('/login/second-factor', { code: codeOf(factor.secret), remember: true })
  await browser.signIn(user.username)

  const found = await figures()
  const signIns = (method: string, factor: string) =>
    found.get(`gatehouse_sign_ins_total{method="${method}",second_factor="${factor}"}`)
  t.strictSame([signIns('password', 'no'), signIns('password', 'yes'), signIns('provider', 'no')], [2, 1, 0])
  t.strictSame(
    ['asked', 'wrong', 'passed', 'remembered', 'refused'].map(outcome =>
      found.get(`gatehouse_second_factor_total{outcome="${outcome}"}`)),
    [1, 1, 1, 1, 0]
  )
})

t.test('mails: sent, failed, refused permanently, waiting', async t => {
  const smtp = await startSmtp(t)
  const { app, owner, figures } = await setUp(t, { SMTP_URL: smtp.url })
  const { email } = await createUser(owner)
  const mails = async (outcome: string) => (await figures()).get(`gatehouse_mails_total{outcome="${outcome}"}`)
  const queue = () => app.mail.queue(app.database, { kind: 'password-changed', email })

  await app.jobs.connected()
  await queue()
  await eventually(() => mails('sent'), sent => sent === 1)
  t.equal((await figures()).get('gatehouse_mails_waiting'), 0)
  smtp.refuse(1, 550)
  await queue()
  await eventually(() => mails('refused'), refused => refused === 1)
  smtp.refuse(9, 451)
  await queue()
  await eventually(() => mails('failed'), failed => failed === 1)
  await eventually(async () => (await figures()).get('gatehouse_mails_waiting'), waiting => waiting === 1)
})

t.test('PostgreSQL: connections and waiting requests; a metric that cannot be read is left out', async t => {
  const { app, figures } = await setUp(t, { DATABASE_POOL_MAX: '2' })
  const gauge = async (name: string) => (await figures()).get(name)
  // The service's own queries at its start may still wait.
  await eventually(() => gauge('gatehouse_database_waiting'), waiting => waiting === 0)
  const held = await Promise.all([app.pg.pool.connect(), app.pg.pool.connect()])
  // A waiting request times out after two seconds, which a scrape on a busy machine may take.
  const waiters: Array<Promise<unknown>> = []
  const busy = await eventually(
    () => {
      waiters.push(app.database.query('SELECT 1').catch(() => {}))
      return figures()
    },
    found => (found.get('gatehouse_database_waiting') ?? 0) > 0
  )
  t.strictSame(
    ['connections', 'connections_idle', 'connections_max'].map(name => busy.get(`gatehouse_database_${name}`)),
    [2, 0, 2]
  )
  t.ok(Number.isNaN(busy.get('gatehouse_mails_waiting')), 'queued behind the others, not waited for')
  for (const client of held) client.release()
  await Promise.all(waiters)
  await eventually(() => gauge('gatehouse_mails_waiting'), waiting => waiting === 0)
})

t.test('PostgreSQL: up or down', async t => {
  const postgres = await startOwnPostgres(t)
  const { figures } = await setUp(t, { DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE) })
  const states = async () => {
    const found = await figures()
    return ['database_up', 'database_writable', 'job_queue_up'].map(name => found.get(`gatehouse_${name}`)).join()
  }
  await eventually(states, found => found === '1,1,1')
  await postgres.stop()
  await eventually(states, found => found === '0,0,1')
  await postgres.restart()
  await eventually(states, found => found === '1,1,1')
})

t.test('PostgreSQL: read-only, and a job queue that does not connect', async t => {
  const { owner, settings } = await createDatabase(t)
  const { rows } = await owner.query('SELECT current_database() AS name')
  await owner.query(`ALTER ROLE gatehouse IN DATABASE ${rows[0].name} SET default_transaction_read_only = on`)
  await owner.query('REVOKE USAGE ON SCHEMA pgboss FROM gatehouse_app')
  const { figures } = await setUp(t, settings, true)
  const names = ['database_up', 'database_writable', 'job_queue_up']
  const states = async () => {
    const found = await figures()
    return names.map(name => found.get(`gatehouse_${name}`))
  }
  // On a busy machine, a check may take too long: then PostgreSQL counts as down.
  t.strictSame(await eventually(states, ([isUp]) => isUp === 1), [1, 0, 0])
})

t.test('Redis: up or down', { skip: withoutRedis }, async t => {
  const redis = await startRedis(t)
  const { figures } = await setUp(t, { REDIS_URL: redis.url })
  const up = async () => (await figures()).get('gatehouse_redis_up')
  t.equal(await up(), 1)
  await redis.stop()
  await eventually(up, value => value === 0)
})

t.test('GET /metrics: on its own port only (200)', async t => {
  const { app, url } = await share(t)
  const status = async (path: string, method = 'GET') => (await fetch(new URL(path, url), { method })).status
  t.equal((await app.inject('/metrics')).statusCode, 404)
  t.equal(new URL(url).hostname, '127.0.0.1')
  t.match((await fetch(url)).headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.equal(await status('/metrics?x=1'), 200)
  t.equal(await status('/metrics', 'HEAD'), 200)
  t.equal(await status('/metrics', 'POST'), 405)
  t.equal(await status('/'), 404)
  t.equal(await status('/metrics/x'), 404)
  const names = new Set([...(await scrape(url)).keys()].map(metricOf))
  t.ok(names.has('nodejs_eventloop_lag_p99_seconds') && names.has('process_resident_memory_bytes'))
})

t.test('docs/monitoring.md lists every metric of the service', async t => {
  const { url } = await share(t)
  const text = await (await fetch(url)).text()
  const names = [...text.matchAll(/^# TYPE (gatehouse_\w+)/gm)].map(([, name]) => name as string)
  const page = readFileSync('docs/monitoring.md', 'utf8')
  t.ok(names.length > 20)
  t.strictSame(names.filter(name => !page.includes(`\`${name}\``)), [])
})

/** Of the sources: in the build, packages have no files of their own. */
const isMetricsLibrary = (file: string) => file.includes('/prom-client/')
const isUnusedClient = (file: string) => /node_modules\/(nodemailer|ioredis)\//.test(file)

t.test('serve without settings of metrics and traces: one listener, and nothing of either is loaded', async t => {
  const { settings } = await createDatabase(t)
  const service = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, ...openToQuestions }, { program: SOURCE })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.until(/Server listening/)
  const { listeners, files } = await lookInside(service)
  t.strictSame({ listeners, loaded: files.some(isMetricsLibrary) }, { listeners: 1, loaded: false })
  t.notOk(files.some(file => file.includes('/@opentelemetry/')))
  t.strictSame(files.filter(isUnusedClient), [], 'without a mail server and Redis, their clients are not loaded')
})

t.test('serve: metrics until the service has drained; a port in use ends it in one line', async t => {
  const { settings } = await createDatabase(t)
  const port = await freePort()
  const env = { ...BASE_SETTINGS, ...settings, METRICS_PORT: String(port), DRAIN_SECONDS: '2' }
  const service = gatehouse(['serve'], { ...env, ...openToQuestions }, { program: SOURCE })
  t.teardown(() => service.child.kill('SIGKILL'))
  const [, url = ''] = await service.until(/Metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)/)
  t.equal(url, `http://127.0.0.1:${port}/metrics`)
  await service.until(/Server listening/)
  const { listeners, files } = await lookInside(service)
  t.strictSame({ listeners, loaded: files.some(isMetricsLibrary) }, { listeners: 2, loaded: true })
  t.strictSame(files.filter(isUnusedClient), [], 'without a mail server and Redis, their clients are not loaded')
  service.child.kill('SIGTERM')
  await service.until(/"msg":"stopping"/)
  t.ok((await scrape(url)).size > 0)
  t.match(await service.ended, { code: 0 })
  await t.rejects(fetch(url))

  const squatter = createServer().listen(0, '127.0.0.1')
  t.teardown(() => squatter.close())
  await once(squatter, 'listening')
  const taken = (squatter.address() as AddressInfo).port
  const refused = await gatehouse(['serve'], { ...env, METRICS_PORT: String(taken) }).ended
  t.match(refused, { code: 1, stderr: /^Cannot listen on METRICS_PORT: [^\n]+\n$/ })
  t.notMatch(refused.stdout, 'Server listening', 'the public port was never open')
})
