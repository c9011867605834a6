import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { hashOfSeal } from '../../../src/audit/seal.ts'
import type { Seal } from '../../../src/audit/seal.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, buildShared, type pg } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

const DAY = 86_400_000

/** Seals until as many events are sealed. Transactions of other tests on the same server delay it. */
async function seal (app: FastifyInstance, count: number) {
  await eventually(async () => app.sealEvents().then(() => app.audit.verify()), ({ events }) => events >= count)
}

/** Three seals of three events each, the first of their database. */
async function setUp (t: Test) {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, EMAIL_VERIFICATION: 'off' } })
  await owner.query('TRUNCATE auth_events, audit_seals RESTART IDENTITY')
  await owner.query('UPDATE event_readers SET from_xid = DEFAULT, until_xid = DEFAULT, last_id = DEFAULT')
  for (const batch of [1, 2, 3]) {
    await owner.query(`INSERT INTO auth_events (what, ip, user_agent)
      VALUES ('sign_in', '192.0.2.1', 'a'), ('sign_out', '192.0.2.1', 'b'), ('sign_in_failed', '192.0.2.2', 'c')`)
    await seal(app, batch * 3)
  }
  const { rows } = await owner.query('SELECT id FROM auth_events ORDER BY id')
  const problems = async (anchor?: string) => (await app.audit.verify({ anchor })).problems
  return { app, owner, ids: rows.map(({ id }) => id as string), problems }
}

t.test('audit: unbroken, also with events that are not sealed yet', async t => {
  const { app, owner, problems } = await setUp(t)
  t.match(await app.audit.verify(), { seals: 3, events: 9, problems: [] })
  await owner.query("INSERT INTO auth_events (what) VALUES ('sign_in')")
  t.strictSame(await problems(), [])
})

/** Each as the owner of the database does it. */
const TAMPERING: Array<[title: string, sql: string, found: RegExp]> = [
  ['a changed row', "UPDATE auth_events SET ip = '192.0.2.9' WHERE id = $1", /event \d+: was changed/],
  ['a changed time', "UPDATE auth_events SET created_at = created_at - interval '1 us' WHERE id = $1", /changed/],
  ['a changed actor', "UPDATE auth_events SET actor = 'key other' WHERE id = $1", /event \d+: was changed/],
  ['a changed subject', "UPDATE auth_events SET subject = '192.0.2.9' WHERE id = $1", /event \d+: was changed/],
  ['a removed row', 'DELETE FROM auth_events WHERE id = $1', /event \d+: was removed/],
  ['reordered rows', `UPDATE auth_events a SET what = b.what, ip = b.ip, user_agent = b.user_agent, salt = b.salt
    FROM auth_events b WHERE a.id IN ($1, $1::bigint + 1) AND b.id = 2 * $1::bigint + 1 - a.id`, /changed/],
  ['a row inserted with an old number', `INSERT INTO auth_events (id, what, xid) OVERRIDING SYSTEM VALUE
    SELECT 1000, 'sign_in', xid FROM auth_events WHERE id = $1`, /event 1000: was inserted/],
  ['a row inserted with a number to come', `INSERT INTO auth_events (id, what, xid) OVERRIDING SYSTEM VALUE
    SELECT 1000 + 0 * $1::bigint, 'sign_in', '99999999999'`, /event 1000: was inserted/],
  ['a row inserted without a number', `INSERT INTO auth_events (what, xid)
    SELECT 'sign_in', NULL FROM auth_events WHERE id = $1`, /was inserted/],
  ['a row inserted without a number, from before all others', `INSERT INTO auth_events (what, xid, created_at)
    SELECT 'sign_in', NULL, created_at - interval '1 day' FROM auth_events WHERE id = $1`, /was inserted/],
  ['a removed seal', 'DELETE FROM audit_seals WHERE number = 2 AND $1::bigint > 0', /seal 3: the seal before it/],
  ['the first seal removed', 'DELETE FROM audit_seals WHERE number = 1 AND $1::bigint > 0', /seal 2: the seal/],
  ['the last seal removed', 'DELETE FROM audit_seals WHERE number = 3 AND $1::bigint > 0', /its seal was removed/],
  ['a row and its digest removed', `UPDATE audit_seals SET event_ids = event_ids[2:], account_ids = account_ids[2:],
    digests = substr(digests, 33) WHERE number = 2 AND $1::bigint > 0`, /seal 2: its list was changed/],
  ['the list of a seal removed', `UPDATE audit_seals SET event_ids = NULL, account_ids = NULL, digests = NULL
    WHERE number = 2 AND $1::bigint > 0`, /seal 2: its list is missing/],
  ['a changed seal', 'UPDATE audit_seals SET events = 2 WHERE number = 2 AND $1::bigint > 0', /seal 2: was changed/],
]

t.test('audit: each kind of tampering is found', async t => {
  const { owner, ids, problems } = await setUp(t)
  const copies = ['auth_events', 'audit_seals']
  for (const table of copies) await owner.query(`CREATE TABLE copy_of_${table} AS TABLE ${table}`)
  for (const [title, sql, found] of TAMPERING) {
    await owner.query(sql, [ids[4]])
    t.match((await problems()).join('\n'), found, title)
    for (const table of copies) {
      await owner.query(`DELETE FROM ${table}`)
      await owner.query(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE TABLE copy_of_${table}`)
    }
    t.strictSame(await problems(), [], `${title}, undone`)
  }
})

/** Replaces seals by others that are in themselves correct, and continue the chain. */
async function reseal (app: FastifyInstance, owner: pg.Pool, change: (seal: Seal) => Partial<Seal>) {
  let previous: Buffer | undefined
  for (const seal of await app.auditSeals.after(0, 100)) {
    const content = { ...seal, ...change(seal), previous: previous ?? seal.previous }
    previous = hashOfSeal(content)
    const { number, oldest, newest, sealedAt, backdated } = content
    await owner.query(`UPDATE audit_seals SET oldest = $2, newest = $3, sealed_at = $4, backdated = $5, previous = $6,
      hash = $7 WHERE number = $1`, [number, oldest, newest, sealedAt, backdated, content.previous, previous])
  }
}

const PLANT = "INSERT INTO auth_events (what, created_at) VALUES ('sign_in', now() - $1::interval) RETURNING id"
const LATER = /^event \d+: was inserted later than it claims$/
const REMOVED = /^event \d+: was removed$/

t.test('audit: an event that claims to be older than the seal before is reported for good', async t => {
  const { app, owner, problems } = await setUp(t)
  await owner.query(PLANT, ['59 minutes'])
  await seal(app, 10)
  t.strictSame(await problems(), [], 'transactions may take a while, and clocks may differ')
  const { rows: [planted] } = await owner.query(PLANT, ['2 hours'])
  await seal(app, 11)
  t.match(await problems(), [LATER])
  await owner.query('DELETE FROM auth_events WHERE id = $1', [planted.id])
  t.match(await problems(), [REMOVED, LATER])

  await reseal(app, owner, ({ oldest, newest, sealedAt }) => Object.fromEntries(
    Object.entries({ oldest, newest, sealedAt }).map(([name, time]) => [name, new Date(time.getTime() - 182 * DAY)])))
  await app.purge.run()
  t.equal((await owner.query('SELECT FROM audit_seals WHERE event_ids IS NOT NULL')).rowCount, 0)
  t.match(await problems(), [LATER], 'also when the lists have expired')
  await owner.query('UPDATE audit_seals SET backdated = NULL')
  t.match(await problems(), [/^seal 5: was changed$/])
})

t.test('audit: an event dated half a year back does not hide those that are sealed with it', async t => {
  const { app, owner, problems } = await setUp(t)
  // In one transaction: events of two may get two seals.
  const { rows: [both] } = await owner.query(`WITH planted AS (${PLANT})
    INSERT INTO auth_events (what) VALUES ('password_set') RETURNING id, (SELECT id FROM planted) AS planted`,
  ['200 days'])
  await seal(app, 11)
  const anchor = await app.audit.anchor() as string
  await app.purge.run()
  t.match(await problems(anchor), [LATER], 'the purge keeps it: its seal is new')
  await owner.query('DELETE FROM auth_events WHERE id = ANY ($1)', [[both.id, both.planted]])
  t.match(await problems(anchor), [REMOVED, REMOVED, LATER])

  // As version 0.2 seals it.
  await reseal(app, owner, () => ({ backdated: null }))
  t.match(await problems(), [REMOVED, REMOVED])
})

t.test('audit: a seal of version 0.2 over a backdated event', async t => {
  const { app, owner, problems } = await setUp(t)
  await owner.query(PLANT, ['2 hours'])
  await seal(app, 10)
  await reseal(app, owner, () => ({ backdated: null }))
  t.match(await problems(), [LATER], 'found as long as the event is there')
})

t.test('audit: the hash of a seal is the one of version 0.2', async t => {
  const content = {
    number: 7,
    sealedAt: new Date('2026-01-01T00:01:00Z'),
    oldest: new Date('2026-01-01T00:00:00Z'),
    newest: new Date('2026-01-01T00:00:01Z'),
    nextXid: '812',
    events: 2,
    eventsHash: Buffer.alloc(32, 1),
    previous: Buffer.alloc(32, 2),
  }
  t.equal(hashOfSeal({ ...content, backdated: null }).toString('hex'),
    '23338f1a4aeae4ba0ec320b8429827c8cba541a30704b55cb885044608f3a33d')
  t.notSame(hashOfSeal({ ...content, backdated: ['1'] }), hashOfSeal({ ...content, backdated: null }))
})

t.test('audit: a history that was rewritten with its seals is found by an anchor', async t => {
  const { app, owner, problems } = await setUp(t)
  const anchor = await app.audit.anchor() as string
  t.match(anchor, /^3:[0-9a-f]{64}$/)
  t.strictSame(await problems(anchor), [])
  await owner.query("UPDATE auth_events SET ip = '192.0.2.9'")
  await owner.query('DELETE FROM audit_seals')
  await owner.query("UPDATE event_readers SET from_xid = '0', until_xid = '0' WHERE name = 'audit'")
  await seal(app, 9)
  t.strictSame(await problems(), [], 'the new chain is in itself correct')
  t.match(await problems(anchor), [/seal 3 of the anchor is missing/])
  t.match(await problems(`1:${'0'.repeat(64)}`), [/seal 1: is not the one of the anchor/])
})

t.test('audit: a seal that was replaced by a correct one does not continue the chain', async t => {
  const { app, owner, problems } = await setUp(t)
  const second = await app.auditSeals.find(2) as Seal
  const content = { ...second, sealedAt: new Date(second.sealedAt.getTime() + 1) }
  await owner.query('UPDATE audit_seals SET sealed_at = $1, hash = $2 WHERE number = 2',
    [content.sealedAt, hashOfSeal(content)])
  t.strictSame(await problems(), ['seal 3: does not continue the chain'])
})

t.test('audit: the latest seal removed together with its events is found by an anchor', async t => {
  const { app, owner, ids, problems } = await setUp(t)
  const anchor = await app.audit.anchor() as string
  await owner.query('DELETE FROM auth_events WHERE id = ANY ($1)', [ids.slice(6)])
  await owner.query('DELETE FROM audit_seals WHERE number = 3')
  t.strictSame(await problems(), [], 'nothing else knows of it')
  t.match(await problems(anchor), [/seal 3 of the anchor is missing/])
})

t.test('audit: a deleted account leaves the chain verifiable, and nothing of its events', async t => {
  const { app, owner, problems } = await setUp(t)
  const anna = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(anna.username)
  await seal(app, 10)
  t.equal((await browser.guarded('DELETE', '/api/auth/me', { password: anna.password })).statusCode, 204)
  t.strictSame(await problems(), [])
  await seal(app, 11)
  t.strictSame(await problems(), [])
  t.equal((await owner.query('SELECT FROM auth_events WHERE session_id IS NOT NULL')).rowCount, 0)
  await owner.query("DELETE FROM auth_events WHERE what = 'account_deleted'")
  t.equal((await problems()).length, 2, 'without the record of the deletion both are missing')
})

t.test('audit: a forged deletion of an account that exists excuses no missing event', async t => {
  const { app, owner, problems } = await setUp(t)
  const { id } = await createUser(owner)
  await owner.query("INSERT INTO auth_events (what, user_id) VALUES ('sign_in', $1)", [id])
  await seal(app, 10)
  await owner.query('DELETE FROM auth_events WHERE user_id = $1', [id])
  await owner.query("INSERT INTO auth_events (what, account_id) VALUES ('account_deleted', $1)", [id])
  await seal(app, 11)
  t.match(await problems(), [/^event \d+: was removed$/])
})

t.test('audit: the purge after 180 days leaves the chain verifiable', async t => {
  const { app, owner, problems } = await setUp(t)
  await app.purge.run()
  t.strictSame(await problems(), [])
  // As if the first seal had been made half a year ago.
  const old = new Date(Date.now() - 181.5 * DAY)
  await reseal(app, owner, ({ number }) => number === 1 ? { oldest: old, newest: old, sealedAt: old } : {})
  await owner.query(`DELETE FROM auth_events WHERE id IN (
    SELECT unnest(event_ids) FROM audit_seals WHERE number = 1)`)
  t.strictSame(await problems(), [], 'expired events are missing')
  await app.purge.run()
  t.equal((await owner.query('SELECT FROM audit_seals WHERE event_ids IS NULL')).rowCount, 1)
  t.match(await app.audit.verify(), { seals: 3, problems: [] })
})

t.test('audit: two instances seal each event once; the service role cannot change a seal', async t => {
  const { app, owner } = await setUp(t)
  const other = await build(t, { settings: { ...NO_LIMITS, DATABASE_URL: app.config.DATABASE_URL as string } })
  await owner.query("INSERT INTO auth_events (what) SELECT 'sign_in' FROM generate_series(1, 2500)")
  await Promise.all([seal(app, 2509), other.app.sealEvents(), other.app.sealEvents()])
  t.match(await app.audit.verify(), { events: 2509, problems: [] })
  await t.rejects(app.database.query("UPDATE audit_seals SET hash = ''"), { code: '42501' })
  await t.rejects(app.database.query('DELETE FROM audit_seals'), { code: '42501' })
})

t.test('audit: exported in order, without salts, with each seal', async t => {
  const { app, ids } = await setUp(t)
  const { lines, last } = await app.audit.export(0, new Date(0))
  t.equal(last, 3)
  t.strictSame(lines.flatMap((line: any) => line.id ?? []).map(String), ids)
  t.match(lines[3], { seal: 1, events: 3 })
  t.notMatch(JSON.stringify(lines), /salt|xid/)
  t.strictSame((await app.audit.export(3, new Date(0))).lines, [])
  t.strictSame((await app.audit.export(0, new Date(Date.now() + 60_000))).lines, [])
})
