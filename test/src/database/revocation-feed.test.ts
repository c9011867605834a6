import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { createRevocationFeed } from '../../../src/database/revocation-feed.ts'
import { createDatabase, type pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

// Each has a database of its own, and mostly waits.
t.jobs = 4

const NEVER = 2 ** 31 - 1

type Options = { prepare?: 'on' | 'off', before? (owner: pg.Pool): Promise<unknown> }

async function setUp (t: Test, pollInterval?: number, { prepare = 'on', before }: Options = {}) {
  const { owner, settings } = await createDatabase(t)
  const reads: string[][] = []
  const feed = createRevocationFeed({ ...settings, DATABASE_PREPARE: prepare }, {
    onRead: revocations => reads.push(revocations.map(({ sid }) => sid)),
    onFailure: error => t.error(error),
  }, pollInterval)
  t.teardown(feed.stop)
  await before?.(owner)
  feed.start()
  const readsReach = (count: number) => eventually(() => reads.length, length => length >= count)
  await readsReach(1)

  const add = async (sid = randomUUID()) => {
    await owner.query('INSERT INTO revocations (sid) VALUES ($1)', [sid])
    return sid
  }
  return { owner, feed, reads, readsReach, add }
}

t.test('a notification is enough: no poll is needed', async t => {
  const { owner, reads, add } = await setUp(t, NEVER)
  const sid = await add()
  await owner.query("SELECT pg_notify('gatehouse_revocations', '')")
  await eventually(() => reads.flat(), found => found.includes(sid))
  t.strictSame(reads.flat(), [sid])
})

t.test('each revocation is read once, also while another transaction stays open', async t => {
  const { owner, feed, reads, readsReach, add } = await setUp(t)
  const open = await owner.connect()
  t.teardown(() => open.release())
  await open.query('BEGIN')
  const late = randomUUID()
  await open.query('INSERT INTO revocations (sid) VALUES ($1)', [late])

  const sids = []
  for (let round = 0; round < 5; round++) {
    sids.push(await add())
    const before = reads.length
    feed.readNow()
    await readsReach(before + 2)
  }
  t.strictSame(reads.flat().sort(), sids.sort())

  await open.query('COMMIT')
  await eventually(() => reads.flat(), found => found.includes(late))
  t.strictSame(reads.flat().filter(sid => sid === late), [late], 'what committed late is not missed')
})

// An import of accounts with data adds one row for each of them. An instance that starts then must know who signed out.
t.test('a new connection reads the ended sessions, and not the accounts that have changed before', async t => {
  const ended = randomUUID()
  const changed = 'INSERT INTO revocations (sid, changed_account) SELECT gen_random_uuid(), generate_series(1, $1::int)'
  const { owner, reads, readsReach, add } = await setUp(t, 50, {
    async before (owner) {
      await owner.query(changed, [1_000])
      await owner.query('INSERT INTO revocations (sid) VALUES ($1)', [ended])
    },
  })
  t.strictSame(reads.flat(), [ended])
  await owner.query(changed, [2])
  await add()
  await eventually(() => reads.flat(), ({ length }) => length >= 4)
  await readsReach(reads.length + 2)
  t.equal(reads.flat().length, 4)
})

t.test('DATABASE_PREPARE=off: nothing is prepared or listened for, polls find everything', async t => {
  const { owner, reads, readsReach, add } = await setUp(t, 50, { prepare: 'off' })
  const sid = await add()
  await eventually(() => reads.flat(), found => found.includes(sid))
  await readsReach(reads.length + 2)
  t.strictSame(reads.flat(), [sid])
  const { rows } = await owner.query(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE application_name = 'gatehouse revocations' AND datname = current_database() AND query LIKE 'LISTEN%'`)
  t.equal(rows[0].count, 0)
})
