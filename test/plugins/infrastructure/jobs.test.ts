import { setTimeout as sleep } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import root, { type Test } from 'tap'
import { Unavailable } from '../../../src/errors.ts'
import {
  BASE_SETTINGS,
  build,
  createDatabase,
  pg,
  SERVICE_PASSWORD,
  startOwnPostgres,
  TEMPLATE,
} from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { gatehouse } from '../../support/process.ts'
import { startSmtp } from '../../support/smtp.ts'
import { OWNER_PASSWORD } from '../../support/stack.ts'

// The tests mostly wait, so they run concurrently.
root.jobs = 3

const user = (name: string) =>
  `INSERT INTO users (email, username, password_hash, email_verified_at)
   VALUES ('${name}@example.com', '${name}', 'hash', now())`
const alarm = (name: string) => ({ kind: 'password-changed', email: `${name}@example.com` }) as const

/** Queues jobs as another instance would, and processes none. */
async function startSender (t: Pick<Test, 'teardown'>, connectionString: string) {
  const sender = new PgBoss({ connectionString, schema: 'pgboss', migrate: false, supervise: false, schedule: false })
  sender.on('error', () => {})
  await sender.start()
  t.teardown(() => sender.stop())
  return sender
}

/** As if this time had passed since the last maintenance, and since jobs that are running were last heard of. */
async function age (owner: pg.Pool, interval: string) {
  await owner.query(`UPDATE pgboss.queue SET maintain_on = now() - $1::interval, monitor_on = now() - $1::interval,
    monitor_claim_on = now() - $1::interval`, [interval])
  await owner.query(
    "UPDATE pgboss.job SET heartbeat_on = heartbeat_on - $1::interval WHERE state = 'active'", [interval])
}

root.test('an instance is killed: another completes its running and waiting jobs', async t => {
  const smtp = await startSmtp(t)
  const { owner, settings } = await createDatabase(t)
  await owner.query(user('begun'))
  await owner.query(user('waiting'))
  const sender = await startSender(t, settings.DATABASE_URL)
  const killed = gatehouse(['serve'], { ...BASE_SETTINGS, ...settings, SMTP_URL: smtp.url })
  t.teardown(() => killed.child.kill('SIGKILL'))
  await killed.until(/Server listening/)

  const states = async () =>
    (await owner.query("SELECT state FROM pgboss.job WHERE name = 'mail' ORDER BY created_on")).rows.map(
      ({ state }) => state
    )
  smtp.stall()
  await sender.send('mail', alarm('begun'))
  await smtp.untilStalled()
  killed.child.kill('SIGKILL')
  await killed.ended
  await sender.send('mail', alarm('waiting'))
  t.strictSame(await states(), ['active', 'created'])

  // The mail being sent at the kill has arrived: at-least-once delivery.
  smtp.goOn()
  t.match(await smtp.next(), { reader: 'begun@example.com' })
  await age(owner, '15 minutes')
  const { log } = await build(t, { settings: { ...settings, SMTP_URL: smtp.url } })
  t.match(await smtp.next(), { reader: 'waiting@example.com' })
  t.match(await smtp.next(), { reader: 'begun@example.com' })
  await eventually(states, all => all.every(state => state === 'completed'))
  t.equal(smtp.mails.length, 3)
  t.notMatch(log.text, 'permission denied', 'the restricted role suffices, also for queue maintenance')
})

root.test('PostgreSQL down under a running worker: no exit, few log lines, recovery', async t => {
  const smtp = await startSmtp(t)
  const postgres = await startOwnPostgres(t)
  const { app, log } = await build(t, {
    settings: { DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE), SMTP_URL: smtp.url },
  })
  await app.jobs.connected()
  await app.database.query(user('anna'))
  await postgres.stop()
  const stopped = performance.now()
  await sleep(3_000)
  await t.rejects(
    app.database.transact(client => app.mail.queue(client, alarm('anna'))),
    Unavailable
  )
  await postgres.restart()
  await eventually(
    async () =>
      app.database.query('SELECT 1').then(
        () => true,
        () => false
      ),
    Boolean
  )
  await app.database.transact(client => app.mail.queue(client, alarm('anna')))
  await smtp.next()
  const lines = log.lines.filter(({ msg }) => msg.startsWith('the job queue')).length
  t.ok(lines <= 2 * (1 + (performance.now() - stopped) / 10_000), `${lines} lines, two in ten seconds`)
})

root.test('PostgreSQL down at the start: the service starts, jobs are refused (503), recovery', async t => {
  const smtp = await startSmtp(t)
  const postgres = await startOwnPostgres(t)
  await postgres.stop()
  const began = performance.now()
  const { app } = await build(t, {
    settings: { DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE), SMTP_URL: smtp.url },
  })
  t.ok(performance.now() - began < 60_000, 'it does not wait for PostgreSQL')
  await t.rejects(app.jobs.add(app.database, 'mail', [{ data: alarm('anna') }]), Unavailable)

  await postgres.restart()
  await app.database.query(user('anna'))
  await eventually(
    () =>
      app.jobs.add(app.database, 'mail', [{ data: alarm('anna') }]).then(
        () => true,
        () => false
      ),
    Boolean
  )
  await smtp.next()
})

root.test('PostgreSQL down or frozen at the end: the service closes', async t => {
  const postgres = await startOwnPostgres(t)
  const DATABASE_URL = postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE)
  const start = () => build(t, { settings: { DATABASE_URL } })
  const closes = async ({ app }: Awaited<ReturnType<typeof start>>) => {
    const began = performance.now()
    await app.close()
    return performance.now() - began
  }

  const idle = await start()
  await idle.app.jobs.connected()
  t.ok((await closes(idle)) < 5_000, 'idle: less than the time that running jobs get')

  const owner = new pg.Client({ connectionString: postgres.url('postgres', OWNER_PASSWORD, TEMPLATE) })
  await owner.connect()
  const connections = async () =>
    (await owner.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE application_name = 'gatehouse jobs'"))
      .rows
  const hanging = await start()
  await hanging.app.jobs.connected()
  const hung = await connections()
  for (const { pid } of hung) process.kill(pid, 'SIGSTOP')
  t.ok((await closes(hanging)) < 60_000, 'hanging')
  for (const { pid } of hung) process.kill(pid, 'SIGCONT')
  await eventually(connections, left => left.length === 0)
  await owner.end()

  const forsaken = await start()
  await forsaken.app.jobs.connected()
  await postgres.stop()
  t.ok((await closes(forsaken)) < 5_000, 'away')
})

root.test('PostgreSQL denies the service role what it does not need', async t => {
  const { settings } = await createDatabase(t)
  const service = new pg.Client({ connectionString: settings.DATABASE_URL })
  await service.connect()
  t.teardown(() => service.end())
  const REFUSED = [
    'CREATE TABLE pgboss.x (id int)',
    'DROP TABLE pgboss.job',
    'ALTER TABLE pgboss.job_common ADD COLUMN x int',
    'TRUNCATE pgboss.job_common',
    'DELETE FROM pgboss.queue',
    'DELETE FROM pgboss.schedule',
    "INSERT INTO pgboss.schedule (name, cron) VALUES ('mail', '* * * * *')",
  ]
  for (const sql of REFUSED) await t.rejects(service.query(sql), { code: '42501' }, sql)
})

root.test('purge: scheduled, runs as a job, not queued twice', async t => {
  const { owner, settings } = await createDatabase(t)
  const { rows: schedule } = await owner.query('SELECT name, cron, timezone FROM pgboss.schedule ORDER BY name')
  t.strictSame(schedule, ['alert-summaries', 'purge'].map(name => ({ name, cron: '*/5 * * * *', timezone: 'UTC' })))
  const sender = await startSender(t, settings.DATABASE_URL)
  t.ok(await sender.send('purge'))
  t.equal(await sender.send('purge'), null)
  const { log } = await build(t, { settings })
  await eventually(() => log.text, text => text.includes('"msg":"purged"'))
})

root.test('completed jobs, which hold an address, are deleted after an hour', async t => {
  const { owner, settings } = await createDatabase(t)
  await owner.query(`
    INSERT INTO pgboss.job (name, data, state, completed_on, deletion_seconds)
    VALUES ('mail', '{}', 'completed', now() - interval '2 hours', 3600)`)
  await age(owner, '15 minutes')
  const { log } = await build(t, { settings })
  await eventually(
    async () => (await owner.query("SELECT FROM pgboss.job WHERE name = 'mail'")).rowCount,
    count => count === 0
  )
  t.notMatch(log.text, 'permission denied')
})
