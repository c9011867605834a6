import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../../support/browser.ts'
import { build, buildShared } from '../../../support/build.ts'
import { eventually } from '../../../support/patience.ts'

/** Reads until there is nothing left that is settled. */
async function readAll (app: FastifyInstance, limit = 100) {
  const found: string[] = []
  for (;;) {
    const events = await app.database.transact(async client => {
      const batch = await app.eventReader.next(client, 'webhooks', limit)
      if (!batch || batch.isIdle) return undefined
      await batch.advance()
      return batch.events
    })
    if (!events) return found
    found.push(...events.map(({ what, accountId }) => `${what} ${accountId}`))
  }
}

/** The readers are where they are in a new database. */
async function setUp (t: Test) {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, EMAIL_VERIFICATION: 'off' } })
  await owner.query('TRUNCATE auth_events, audit_seals, sign_in_counts, revocations RESTART IDENTITY')
  await owner.query(`UPDATE event_readers SET from_xid = DEFAULT, until_xid = DEFAULT, last_id = DEFAULT,
    restored_id = DEFAULT, catching_up = DEFAULT`)
  const read: string[] = []
  /** Transactions of other tests on the same server delay the reader, too. */
  const eventuallyRead = (count: number) => eventually(
    async () => read.push(...await readAll(app)) && read,
    () => read.length >= count
  )
  const insert = (what: string) => owner.query('INSERT INTO auth_events (what) VALUES ($1)', [what])
  return { app, owner, read, eventuallyRead, insert }
}

async function countEvents (owner: Pool): Promise<number> {
  const { rows: [{ count }] } = await owner.query('SELECT count(*)::int AS count FROM auth_events')
  return count
}

t.test('reader: an event that commits late is not missed, and nothing after it is read before', async t => {
  const { app, owner, read, eventuallyRead, insert } = await setUp(t)
  const late = await owner.connect()
  await late.query("BEGIN; INSERT INTO auth_events (what) VALUES ('sign_in')")
  await insert('sign_out')
  t.strictSame(await readAll(app), [])
  await late.query('COMMIT')
  late.release()
  await eventuallyRead(2)
  t.strictSame(read, ['sign_in null', 'sign_out null'])
  await insert('registered')
  await eventuallyRead(3)
  t.strictSame(read, ['sign_in null', 'sign_out null', 'registered null'], 'each once')
})

t.test('reader: the order of an account is that of its locks, not of the transaction numbers', async t => {
  const { app, owner, read, eventuallyRead } = await setUp(t)
  const { id } = await createUser(owner)
  const record = 'INSERT INTO auth_events (what, user_id) VALUES ($1, $2)'
  const [waits, open] = [await owner.connect(), await owner.connect()]
  for (const client of [waits, open]) await client.query('BEGIN; SELECT pg_current_xact_id()')
  await owner.query(record, ['account_disabled', id])
  await waits.query(record, ['account_enabled', id])
  await waits.query('COMMIT')
  t.strictSame(await readAll(app), [], 'a third transaction is open, whose number is between theirs')
  await open.query('COMMIT')
  for (const client of [waits, open]) client.release()
  await eventuallyRead(2)
  t.strictSame(read, [`account_disabled ${id}`, `account_enabled ${id}`])
})

t.test('reader: many events of one transaction, in small batches; two instances read none twice', async t => {
  const { app, owner, eventuallyRead, insert } = await setUp(t)
  const other = await build(t, { settings: { DATABASE_URL: app.config.DATABASE_URL as string } })
  await owner.query("INSERT INTO auth_events (what) SELECT 'n' || n FROM generate_series(1, 95) n")
  await insert('last')
  const found: string[] = []
  await eventually(
    async () => found.push(...(await Promise.all([app, other.app].map(each => readAll(each, 10)))).flat()),
    () => found.length >= 96
  )
  const expected = [...Array.from({ length: 95 }, (_, index) => `n${index + 1} null`), 'last null']
  t.strictSame(found.toSorted(), expected.toSorted())
  await insert('one more')
  t.strictSame(await eventuallyRead(1), ['one more null'])
})

t.test('reader: while events keep coming, a round ends, and the next one reads on', async t => {
  const { app, owner, insert } = await setUp(t)
  await owner.query(`
    CREATE FUNCTION another_event() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO auth_events (what) SELECT 'another' WHERE (SELECT count(*) FROM auth_events) < 100;
      RETURN NEW;
    END $$;
    CREATE TRIGGER another_event AFTER UPDATE ON event_readers FOR EACH ROW EXECUTE FUNCTION another_event()`)
  t.teardown(() => owner.query('DROP FUNCTION another_event CASCADE'))
  await insert('first')
  for (const name of ['announceEvents', 'countSignIns', 'noteSignIns', 'sealEvents'] as const) {
    let [before, after] = [0, 0]
    await eventually(
      async () => {
        before = await countEvents(owner)
        await app[name]()
        after = await countEvents(owner)
      },
      () => after > before
    )
    t.equal(after - before, 1, `${name} read one batch`)
  }
})

t.test('reader: a deleted account is named, whichever way it was deleted', async t => {
  const { app, owner, read, eventuallyRead } = await setUp(t)
  const [anna, unproven] = [await createUser(owner), await createUser(owner, { email_verified_at: null })]
  const browser = createBrowser(app)
  await browser.signIn(anna.username)
  const answer = await browser.guarded('DELETE', '/api/auth/me', { password: anna.password })
  t.equal(answer.statusCode, 204)
  await owner.query("UPDATE users SET verification_sent_at = now() - interval '8 days' WHERE id = $1", [unproven.id])
  app.config.EMAIL_VERIFICATION = 'required'
  t.teardown(() => { app.config.EMAIL_VERIFICATION = 'off' })
  t.match(await app.purge.run(), { users: 1 })
  await eventuallyRead(2)
  t.strictSame(read, [`account_deleted ${anna.id}`, `account_deleted ${unproven.id}`])
})

t.test('reader: ended sessions have their account and the reason', async t => {
  const { app, owner } = await setUp(t)
  const anna = await createUser(owner)
  const [first, second] = [createBrowser(app), createBrowser(app)]
  for (const browser of [first, second]) await browser.signIn(anna.username)
  t.equal((await first.guarded('POST', '/logout', {})).statusCode, 204)
  await app.administration.disable(await app.users.findById(anna.id) as never)
  const { rows } = await owner.query(
    'SELECT account_id, reason FROM revocations WHERE NOT canary ORDER BY created_at')
  t.strictSame(rows, [{ account_id: anna.id, reason: 'sign_out' }, { account_id: anna.id, reason: 'disabled' }])
})

for (const pending of [['unread'], []]) {
  const what = `reader: after a restore on a server with lower transaction numbers, ${pending.length} unread`
  t.test(`${what}: each event is read once`, async t => {
    const { app, owner, read, eventuallyRead } = await setUp(t)
    const { id } = await createUser(owner)
    const insert = (what: string) => owner.query('INSERT INTO auth_events (what, user_id) VALUES ($1, $2)', [what, id])
    await insert('read')
    await eventuallyRead(1)
    for (const each of pending) await insert(each)
    const later = (column: string) => `${column} = ((${column}::text)::bigint + 1000000)::text::xid8`
    await owner.query(`UPDATE auth_events SET ${later('xid')}`)
    await owner.query(`UPDATE event_readers SET ${later('from_xid')}, ${later('until_xid')} WHERE name = 'webhooks'`)
    await insert('new')
    const expected = ['read', ...pending, 'new'].map(each => `${each} ${id}`)
    await eventuallyRead(expected.length)
    t.strictSame(read, expected)
    await insert('newer')
    await eventuallyRead(expected.length + 1)
    t.strictSame(read.slice(expected.length), [`newer ${id}`])
    t.strictSame(await readAll(app), [])
  })
}

t.test('reader: after exactly one full batch, and after that another event, nothing is left', async t => {
  const { app, owner } = await setUp(t)
  const state = `SELECT (SELECT sum(events)::int FROM audit_seals) AS sealed,
    (SELECT sum(count)::int FROM sign_in_counts WHERE size = 'hour') AS counted,
    (SELECT count(*)::int FROM event_readers WHERE last_id <> 0) AS unfinished`
  const readUntil = (events: number) => eventually(
    async () => {
      for (const read of [app.sealEvents, app.countSignIns, app.announceEvents]) await read()
      return (await owner.query(state)).rows[0]
    },
    ({ sealed, counted, unfinished }) => sealed === events && counted === events && unfinished === 0
  )
  const insert = "INSERT INTO auth_events (what) SELECT 'sign_in_failed' FROM generate_series(1, $1::int)"
  await owner.query(insert, [1_000])
  await readUntil(1_000)
  await owner.query(insert, [1])
  t.match(await readUntil(1_001), { sealed: 1_001, counted: 1_001 })
})
