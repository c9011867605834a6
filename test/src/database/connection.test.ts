import t from 'tap'
import { connectTo } from '../../../src/database/connection.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build, createDatabase, pg } from '../../support/build.ts'

/** The same address, behind one where no server listens. */
const behindDeadServer = (url: string) => url.replace('@', '@127.0.0.1:1,')

t.test('one server: the client of the driver, with the connection string as it is', async t => {
  for (const url of ['postgres://u:p@db:5433/gatehouse?sslmode=verify-full', 'postgres:///gatehouse', undefined]) {
    t.strictSame(connectTo(url), { connectionString: url, Client: pg.Client })
  }
})

t.test('several servers: the primary is found, for requests, jobs, revocations and migrations', async t => {
  const { owner, settings } = await createDatabase(t)
  const { app } = await build(t, {
    settings: { DATABASE_URL: behindDeadServer(settings.DATABASE_URL) },
  })
  await app.jobs.connected()
  t.equal((await app.inject('/health/ready')).statusCode, 200)
  const { username } = await createUser(owner)
  t.equal((await createBrowser(app).signIn(username)).statusCode, 200)
  const { Client, connectionString } = connectTo(behindDeadServer(settings.MIGRATION_DATABASE_URL))
  const client = new Client({ connectionString })
  await client.connect()
  t.equal((await client.query('SELECT 1 AS one')).rows[0].one, 1)
  await client.end()
})

t.test('several servers: none is there (503)', async t => {
  const { app } = await build(t, {
    settings: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1,127.0.0.1:2/none' },
    withoutJobs: true,
  })
  const { statusCode, headers } = await createBrowser(app, { repeats: false }).signIn('ada')
  t.equal(statusCode, 503)
  t.ok(headers['retry-after'])
})
