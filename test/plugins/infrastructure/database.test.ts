import t from 'tap'
import { Unavailable } from '../../../src/errors.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build, buildShared, SERVICE_PASSWORD, startOwnPostgres, TEMPLATE } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

const ONE_CONNECTION = { DATABASE_POOL_MAX: '1' }

const userNamed = (name: string) => ({
  text: 'INSERT INTO users (email, username) VALUES ($1, $2)',
  values: [`${name}@example.com`, name],
})

t.test('a transaction is all or nothing', async t => {
  const { app, owner } = await buildShared(t)
  await app.database.transact(async client => client.query(userNamed('kept')))
  await t.rejects(
    app.database.transact(async client => {
      await client.query(userNamed('gone'))
      throw new Error('changed my mind')
    }),
    { message: 'changed my mind' }
  )
  await t.rejects(
    app.database.transact(async client => {
      await client.query(userNamed('gone-too'))
      await client.query(userNamed('kept'))
    }),
    { code: '23505' }
  )
  t.strictSame((await owner.query('SELECT username FROM users')).rows, [{ username: 'kept' }])
  t.equal(app.pg.pool.idleCount, app.pg.pool.totalCount, 'every connection was released')
})

t.test('an exhausted pool is an outage, after a short timeout', async t => {
  const { app } = await build(t, { settings: ONE_CONNECTION, ownTimeout: true })
  const taken = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = app.database.transact(() => {
    taken.resolve()
    return free.promise
  })
  await taken.promise
  await t.rejects(app.database.query('SELECT 1'), Unavailable)
  free.resolve()
  await holding
})

t.test('a database without the migrations is an outage', async t => {
  const { app } = await buildShared(t)
  for (const text of ['SELECT FROM of_tomorrow', 'SELECT of_tomorrow FROM users']) {
    await t.rejects(app.database.query(text), Unavailable)
  }
})

t.test('a statement that takes too long is an outage', async t => {
  const { app } = await buildShared(t)
  await t.rejects(app.database.query('SET statement_timeout = 50; SELECT pg_sleep(5)'), Unavailable)
})

t.test('PostgreSQL down with idle and busy connections: an outage, no exit, recovery', async t => {
  const postgres = await startOwnPostgres(t)
  const { app } = await build(t, {
    settings: { DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE) },
  })
  await Promise.all([1, 2, 3].map(() => app.database.query('SELECT pg_sleep(0.05)')))
  const busy = app.database.query('SELECT pg_sleep(60)')
  const begun = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const inTransaction = app.database.transact(async client => {
    await client.query('SELECT 1')
    begun.resolve()
    await stopped.promise
    await client.query('SELECT 1')
  })
  busy.catch(() => {})
  inTransaction.catch(() => {})
  await begun.promise
  await eventually(
    () => app.database.query("SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'"),
    ({ rowCount }) => rowCount === 1
  )
  await postgres.stop()
  stopped.resolve()
  await t.rejects(busy, Unavailable)
  await t.rejects(inTransaction, Unavailable)
  await t.rejects(app.database.query('SELECT 1'), Unavailable)
  await t.rejects(
    app.database.transact(async () => {}),
    Unavailable
  )
  await postgres.restart()
  t.equal((await app.database.query('SELECT 1')).rowCount, 1)
})

for (const [setting, kept] of [['on', ['sign-in']], ['off', []]] as const) {
  t.test(`DATABASE_PREPARE=${setting}: statements that the connection keeps after a sign-in`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...ONE_CONNECTION, DATABASE_PREPARE: setting } })
    const { username } = await createUser(owner)
    t.equal((await createBrowser(app).signIn(username)).statusCode, 200)
    const { rows } = await app.database.query<{ name: string }>('SELECT name FROM pg_prepared_statements')
    t.strictSame(rows.map(({ name }) => name).filter(name => name === 'sign-in'), kept)
    if (setting === 'off') t.strictSame(rows, [])
  })
}
