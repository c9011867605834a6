import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import t from 'tap'
import { LATEST_TOTALS, SESSIONS_BY_DAY, SESSIONS_BY_HOUR } from '../../plugins/records/operators/account-totals.ts'
import { READ_COUNTS, READ_DAYS } from '../../plugins/records/operators/sign-in-counts.ts'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build, createDatabase } from '../support/build.ts'
import { buildSharedOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { addTotp } from '../support/second-factor.ts'

const settings = NO_LIMITS

const INSERT = 'INSERT INTO auth_events (what, created_at) VALUES ($1, now() - $2::interval)'
const counted = async (owner: pg.Pool, size = 'hour'): Promise<Record<string, number>> => {
  const { rows } = await owner.query(
    'SELECT kind, sum(count)::int AS count FROM sign_in_counts WHERE size = $1 GROUP BY 1', [size])
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}

/** Counts until there are so many. Transactions of other tests on the same server delay it. */
const countUntil = (apps: FastifyInstance[], owner: pg.Pool, expected: number) => eventually(
  async () => {
    await Promise.all(apps.map(app => app.countSignIns()))
    return Object.values(await counted(owner)).reduce((sum, count) => sum + count, 0)
  },
  sum => sum >= expected
)

t.test('sign-ins are counted: also one that commits late, and each once', async t => {
  const { app, owner } = await buildSharedOperator(t, { settings })
  const late = await owner.connect()
  await late.query('BEGIN')
  await late.query(INSERT, ['sign_in_failed', '0'])
  await owner.query(INSERT, ['second_factor_failed', '0'])
  await app.countSignIns()
  t.strictSame(await counted(owner), {}, 'nothing while an earlier transaction is open')
  await late.query('COMMIT')
  late.release()
  await countUntil([app], owner, 2)
  await app.countSignIns()
  t.strictSame(await counted(owner), { 'failure:firstStep': 1, 'failure:secondFactor': 1 })
  t.strictSame(await counted(owner, 'minute'), { 'failure:firstStep': 1, 'failure:secondFactor': 1 })
})

t.test('sign-ins are counted: by one instance at a time, in batches, none twice', async t => {
  const { app, owner } = await buildSharedOperator(t, { settings })
  const { DATABASE_URL, MIGRATION_DATABASE_URL } = app.config
  const other = await build(t, { settings: { ...settings, DATABASE_URL, MIGRATION_DATABASE_URL } as typeof settings })
  await owner.query("INSERT INTO auth_events (what) SELECT 'sign_in_failed' FROM generate_series(1, 2500)")
  await countUntil([app, other.app, app], owner, 2_500)
  await Promise.all([app.countSignIns(), other.app.countSignIns()])
  t.strictSame(await counted(owner), { 'failure:firstStep': 2_500 })
})

t.test('sign-ins are counted by method and time; what is older than it is kept is left out, and purged', async t => {
  const { app, owner } = await buildSharedOperator(t, { settings })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  for (const amr of ['{pwd}', '{pwd,otp,mfa}', '{ext}', '{hwk,mfa}']) {
    await browser.signIn(user.username)
    await owner.query('UPDATE refresh_tokens SET amr = $1 WHERE revoked_at IS NULL', [amr])
  }
  for (const age of ['2 hours', '2 days', '31 days']) await owner.query(INSERT, ['provider_sign_in_failed', age])
  await owner.query(INSERT, ['sign_out', '0'])
  await countUntil([app], owner, 6)
  const signIns = { 'sign_in:password': 2, 'sign_in:provider': 1, 'sign_in:passkey': 1 }
  t.strictSame(await counted(owner), { ...signIns, 'failure:provider': 2 })
  t.strictSame(await counted(owner, 'minute'), { ...signIns, 'failure:provider': 1 })
  await owner.query("UPDATE sign_in_counts SET starts_at = starts_at - interval '25 hours'")
  await owner.query("INSERT INTO account_totals VALUES (now() - interval '31 days', 1, 1, 1)")
  t.match(await app.purge.run(), { sign_in_counts: 4, account_totals: 1 })
  t.strictSame(await counted(owner, 'minute'), {})
  t.strictSame(await counted(owner), { ...signIns, 'failure:provider': 2 })
})

t.test('GET /overview: counts, totals, queues (200)', async t => {
  const { app, owner, api } = await buildSharedOperator(t, { settings })
  const [user] = [await createUser(owner), await createUser(owner)]
  await addTotp(owner, user.id)
  t.notOk((await api('GET', '/overview')).json().totals)
  await createBrowser(app).signIn(user.username, 'wrong-Guess-77-again')
  await owner.query(INSERT, ['second_factor_failed', '3 hours'])
  await countUntil([app], owner, 2)
  await app.accountTotals.count()
  const response = await api('GET', '/overview')
  t.equal(response.statusCode, 200)
  const { minutes, hours, days, totals, sessionsByHour, sessionsByDay, ...rest } = response.json()
  t.equal(minutes.length, 60)
  t.equal(hours.length, 168)
  t.equal(days.length, 30)
  t.equal(days[29].at.slice(10), 'T00:00:00.000Z')
  const none = { firstStep: 0, secondFactor: 0, provider: 0 }
  const failures = minutes.filter(({ failures }: { failures: typeof none }) => failures.firstStep > 0)
  t.match(failures, [{ failures: { ...none, firstStep: 1 }, signIns: { password: 0, passkey: 0, provider: 0 } }])
  t.strictSame(hours[164].failures, { ...none, secondFactor: 1 })
  const sum = (name: 'firstStep' | 'secondFactor') =>
    days.reduce((all: number, { failures }: { failures: typeof none }) => all + failures[name], 0)
  t.strictSame([sum('firstStep'), sum('secondFactor')], [1, 1])
  t.match(totals, { accounts: 2, withSecondFactor: 1, sessions: 0, countedAt: /Z$/ })
  t.match(sessionsByHour, [{ sessions: 0 }])
  t.match(sessionsByDay, [{ at: /T00:00:00.000Z$/, sessions: 0 }])
  t.strictSame(rest, { passwords: { running: 0, waiting: 0 }, mails: { waiting: 0, failed: 0 } })
  await createUser(owner)
  await app.accountTotals.count()
  t.equal((await api('GET', '/overview')).json().totals.accounts, 2, 'counted every five minutes')
})

t.test('the queries of the overview use indexes, and no account, session or event', async t => {
  const { owner } = await createDatabase(t)
  await owner.query(`INSERT INTO sign_in_counts SELECT 'minute', now() - n * interval '1 minute', 'sign_in:password', 1
    FROM generate_series(1, 20000) n`)
  await owner.query(`INSERT INTO account_totals SELECT now() - n * interval '5 minutes', 1, 1, 1
    FROM generate_series(1, 20000) n`)
  await owner.query('ANALYZE sign_in_counts, account_totals')
  const planOf = async (text: string, values: unknown[] = []) =>
    JSON.stringify((await owner.query(`EXPLAIN (FORMAT JSON) ${text}`, values)).rows)
  const plans = [
    await planOf(READ_COUNTS, ['minute', new Date(Date.now() - 3_600_000)]),
    await planOf(LATEST_TOTALS),
    await planOf(SESSIONS_BY_HOUR, [168]),
    await planOf(READ_DAYS, [new Date(Date.now() - 3_600_000)]),
    await planOf(SESSIONS_BY_DAY, [7]),
  ]
  const [counts, totals] = ['sign_in_counts_pkey', 'account_totals_pkey']
  for (const [index, name] of [counts, totals, totals, counts, totals].entries()) {
    t.match(plans[index], `"Index Name":"${name}"`)
    t.notMatch(plans[index], /Seq Scan|users|refresh_tokens|auth_events/)
  }
})
