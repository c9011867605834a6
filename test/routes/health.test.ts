import type { FastifyInstance } from 'fastify'
import t from 'tap'
import {
  build,
  buildShared,
  createDatabase,
  SERVICE_PASSWORD,
  startOwnPostgres,
  startRedis,
  TEMPLATE,
  withoutRedis,
} from '../support/build.ts'
import { eventually, inTime } from '../support/patience.ts'
import { scrape } from '../support/scrape.ts'

// Most of the time these wait for a process.
t.jobs = 3

const health = async (app: FastifyInstance) => {
  const answer = await app.inject('/health')
  return { code: answer.statusCode, ...answer.json() }
}
const ready = async (app: FastifyInstance) => {
  const answer = await app.inject('/health/ready')
  return { code: answer.statusCode, ...answer.json() }
}

t.test('GET /health: healthy (200)', async t => {
  const { app } = await buildShared(t)
  const { timestamp, ...rest } = await eventually(() => health(app), ({ code }) => code === 200)
  t.strictSame(rest, { code: 200, status: 'healthy', checks: { server: 'ok', database: 'ok', cache: 'ok' } })
  t.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000)
})

t.test('GET /health: a thousand requests at once, one query (200)', async t => {
  const { app } = await buildShared(t)
  await eventually(() => health(app), ({ code }) => code === 200)
  let queries = 0
  const { pool } = app.pg
  const { query } = pool
  pool.query = function (this: unknown, ...args: unknown[]) {
    queries++
    return (query as Function).apply(pool, args)
  } as typeof query
  t.teardown(() => { pool.query = query })
  const began = performance.now()
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => health(app)))
  const seconds = (performance.now() - began) / 1_000
  // On a busy machine a query may take longer than a request waits for it: the report then says `checking`.
  t.ok(answers.every(({ code, checks }) => code === 200 || checks.database === 'checking'))
  t.ok(queries <= seconds + 1, `one query a second: ${queries} in ${seconds} s`)
})

t.test('GET /health/live (200), /health/ready and /health/serving: draining (503)', async t => {
  const { app } = await build(t)
  await eventually(() => ready(app), ({ code }) => code === 200)
  t.match(await ready(app), { code: 200, status: 'ready' })
  t.match((await app.inject('/health/serving')).json(), { status: 'serving' })
  app.drain.begin()
  for (const url of ['/health/ready', '/health/serving']) {
    const answer = await app.inject(url)
    t.equal(answer.statusCode, 503)
    t.strictSame(answer.json(), { status: 'draining' })
    t.equal(answer.headers.connection, 'close')
  }
  t.equal((await app.inject('/health/live')).statusCode, 200)
})

t.test('GET /health: PostgreSQL frozen, stopped, restarted (503, 200)', async t => {
  const postgres = await startOwnPostgres(t)
  const { app } = await build(t, {
    settings: { DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE) },
  })
  await eventually(() => health(app), answer => answer.code === 200)

  // Freezes the postmaster and its children, as if the machine were frozen.
  const { rows } = await app.database.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity UNION SELECT $1::int',
    [postgres.pid]
  )
  const freeze = (signal: NodeJS.Signals) => {
    for (const { pid } of rows) process.kill(pid, signal)
  }

  t.teardown(() => {
    try {
      freeze('SIGCONT')
    } catch {}
  })
  freeze('SIGSTOP')
  const frozen = await eventually(() => health(app), answer => answer.code === 503)
  t.match(frozen, { status: 'unhealthy', checks: { server: 'ok', database: 'checking', cache: 'ok' } })
  await inTime(health(app), 'the response of /health')
  freeze('SIGCONT')
  await eventually(() => health(app), answer => answer.code === 200)

  await postgres.stop()
  const stopped = await eventually(
    () => health(app),
    ({ code, checks }) => code === 503 && !Object.values(checks).includes('checking')
  )
  t.match(stopped, { status: 'unhealthy', checks: { server: 'ok', database: 'error', cache: 'ok' } })
  t.strictSame(await ready(app), { code: 503, status: 'not_ready', reason: 'PostgreSQL does not respond.' })
  t.equal((await app.inject('/health/serving')).statusCode, 200)
  await postgres.restart()
  await eventually(() => health(app), answer => answer.code === 200)
})

t.test('GET /health/ready: the job queue does not connect (503); /health: the query succeeds (200)', async t => {
  const { owner, settings } = await createDatabase(t)
  await owner.query('REVOKE USAGE ON SCHEMA pgboss FROM gatehouse_app')
  const { app, log } = await build(t, { settings, withoutJobs: true })
  const healthy = await eventually(() => health(app), answer => answer.code === 200)
  t.match(healthy, { status: 'healthy', checks: { server: 'ok', database: 'ok', cache: 'ok' } })
  // On a busy machine, the ended sessions have not been read yet.
  const waiting = await eventually(() => ready(app), ({ reason }) => /job queue/.test(reason))
  t.strictSame(waiting, {
    code: 503,
    status: 'not_ready',
    reason: 'The job queue is not connected to PostgreSQL.',
  })
  const findWarning = () => log.lines.find(({ msg }) => msg === 'the job queue cannot reach PostgreSQL')
  t.match(await eventually(findWarning, Boolean), { level: 'warn' })
  await owner.query('GRANT USAGE ON SCHEMA pgboss TO gatehouse_app')
  await eventually(() => ready(app), answer => answer.code === 200)
})

t.test('GET /health/ready: PostgreSQL is read-only (503); /health: the query succeeds (200)', async t => {
  const { app, owner, log } = await build(t)
  const { rows } = await owner.query('SELECT current_database() AS name')
  /** Only new connections of the service, none of the owner, are affected. */
  const setReadOnly = async (change: string) => {
    await owner.query(`ALTER ROLE gatehouse IN DATABASE ${rows[0].name} ${change}`)
    await owner.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE usename = 'gatehouse' AND datname = current_database()`)
  }
  await eventually(() => ready(app), ({ code }) => code === 200)
  await setReadOnly('SET default_transaction_read_only = on')
  const refused = await eventually(() => ready(app), ({ reason }) => reason === 'PostgreSQL is read-only.')
  t.strictSame(refused, { code: 503, status: 'not_ready', reason: 'PostgreSQL is read-only.' })
  t.match(await health(app), { code: 200, status: 'healthy', checks: { database: 'ok' } })
  t.equal((await app.inject('/health/serving')).statusCode, 200, 'access checks continue')

  await setReadOnly('RESET default_transaction_read_only')
  await eventually(() => ready(app), ({ code }) => code === 200)
  const lines = log.lines.filter(({ msg }) => /^PostgreSQL (is read-only|accepts writes)/.test(msg))
  t.match(lines, [{ level: 'warn' }, { level: 'info' }])
  t.equal(lines.length, 2, 'one line for each change')
})

t.test('GET /health: Redis frozen, stopped, restarted (503, 200)', { skip: withoutRedis }, async t => {
  const redis = await startRedis(t)
  const { app } = await build(t, { settings: { REDIS_URL: redis.url } })
  t.match(await eventually(() => health(app), ({ code }) => code === 200), { checks: { cache: 'ok' } })

  redis.signal('SIGSTOP')
  const frozen = await eventually(() => health(app), answer => answer.code === 503)
  t.match(frozen, { status: 'unhealthy', checks: { server: 'ok', database: 'ok', cache: /checking|error/ } })
  redis.signal('SIGCONT')
  await eventually(() => health(app), answer => answer.code === 200)

  await redis.stop()
  const stopped = await eventually(
    () => health(app),
    ({ code, checks }) => code === 503 && !Object.values(checks).includes('checking')
  )
  t.match(stopped, { status: 'unhealthy', checks: { server: 'ok', database: 'ok', cache: 'error' } })
  await startRedis(t, redis.port)
  await eventually(() => health(app), answer => answer.code === 200)
})

t.test('GET /health: started before Redis and PostgreSQL (503, 200)', { skip: withoutRedis }, async t => {
  const redis = await startRedis(t)
  const postgres = await startOwnPostgres(t)
  await redis.stop()
  await postgres.stop()
  const { app } = await build(t, {
    settings: { REDIS_URL: redis.url, DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE) },
  })
  const away = await eventually(() => health(app), ({ checks }) => !Object.values(checks).includes('checking'))
  t.match(away, { code: 503, checks: { server: 'ok', database: 'error', cache: 'error' } })
  await startRedis(t, redis.port)
  await postgres.restart()
  await eventually(() => health(app), answer => answer.code === 200)
})

t.test('GET /health: in the log at level debug, and in the metrics', async t => {
  const { app, log } = await build(t, { settings: { LOG_LEVEL: 'debug', METRICS_PORT: '0' } })
  const url = await app.metrics.listen() as string
  await eventually(() => app.inject('/health'), ({ statusCode }) => statusCode === 200)
  const { lines } = log
  const healthy = lines.filter(({ path, status }) => path === '/health' && status === 200)
  t.match(healthy, [{ level: 'debug', msg: 'request', method: 'GET', ms: Number, ip: '127.0.0.1' }])
  const figures = await scrape(url)
  t.equal(figures.get('gatehouse_request_duration_seconds_count{route="/health",method="GET",status="200"}'), 1)
})
