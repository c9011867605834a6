import type { Bench } from '../bench.ts'
import { createService, watchStatements } from '../contenders/service-in-process.ts'
import { fillWithoutIndexes } from '../data/bulk.ts'
import { fillFactors, fillPeople } from '../data/people.ts'
import type { Result } from '../figures/results.ts'
import { alternate, judged, median, ratio, spread } from '../figures/rounds.ts'
import type { UserFilter } from '../../plugins/records/accounts/user-filter.ts'
import type { AccountSort } from '../../src/operators/list-parameters.ts'

const DATABASE = 'search'
const REPEATED = 50

/** What operators type, each time for another account. */
const SEARCHES: Record<string, (n: number) => string> = {
  'part of a username': n => `${n}`.padStart(6, '7'),
  'part of an address': n => `${n}@exa`,
  'a name, as one in 16 has it': () => 'katherine',
  'what every address has': () => 'example',
  'one character': () => 'k',
  'what no account has': n => `zzq${n}`,
}

/** What operators choose instead. */
const LISTS: Record<string, [filter: UserFilter, sort?: AccountSort]> = {
  'all, the newest first': [{}],
  'all, by username': [{}, 'username'],
  'all, by last sign-in': [{}, '-lastSignIn'],
  'disabled, by last sign-in': [{ state: 'disabled' }, '-lastSignIn'],
  'active, by username': [{ state: 'active' }, 'username'],
  'not confirmed, the newest first': [{ confirmed: 'no' }],
  'disabled and not confirmed': [{ state: 'disabled', confirmed: 'no' }],
  'with an authenticator app': [{ factors: 'totp' }],
  'with a passkey, by username': [{ factors: 'passkey' }, 'username'],
  'with any second factor, by last sign-in': [{ factors: 'any' }, '-lastSignIn'],
  'without a second factor': [{ factors: 'none' }],
}

/** The list of accounts of the operator page, by search, beside the look-up of one account by its id. */
export async function measureSearch (
  bench: Pick<Bench, 'options' | 'stage' | 'onEnd' | 'progress'>
): Promise<Result[]> {
  const { options: { quick, rounds }, progress, stage } = bench
  const users = quick ? 100_000 : 1_000_000
  await stage.createServiceDatabase(DATABASE)
  progress(`filling in ${users.toLocaleString('en')} accounts`)
  await fillWithoutIndexes(stage, DATABASE, 'users', () => fillPeople(stage, DATABASE, users))
  await fillFactors(stage, DATABASE)
  await stage.query(DATABASE, 'VACUUM ANALYZE')
  const app = createService(bench, DATABASE)
  await app.ready()
  const statements = watchStatements(app)

  /** The median of many, in milliseconds. */
  async function time (run: (n: number) => Promise<unknown>): Promise<number> {
    const times: number[] = []
    for (let repeated = 0; repeated < REPEATED; repeated++) {
      const n = 1 + Math.floor(Math.random() * users)
      const began = performance.now()
      await run(n)
      times.push(performance.now() - began)
    }
    return median(times)
  }

  const byId = 'look-up by id'
  const ms = await alternate({ rounds }, {
    [byId]: () => time(n => app.userSearch.one(String(n))),
    'look-up by external id': () => time(n => app.users.findByExternalId(`customer-${n}`)),
    'external id, as a filter': () => time(n => app.userSearch.page({ externalId: `customer-${n}` }, undefined, 25)),
    'external id, as a search': () => time(n => app.userSearch.page({ q: `customer-${n}` }, undefined, 25)),
    'gatehouse user list --search': () => time(n => app.userList.page({ limit: 50, search: `${n}@exa` })),
    'gatehouse user list --disabled': () => time(() => app.userList.page({ limit: 50, disabled: true })),
    ...Object.fromEntries(Object.entries(SEARCHES).map(([label, textOf]) =>
      [label, () => time(n => app.userSearch.page({ q: textOf(n) }, undefined, 25))])),
    ...Object.fromEntries(Object.entries(LISTS).map(([label, [filter, sort]]) =>
      [label, () => time(() => app.userSearch.page(filter, sort, 25))])),
  }, progress)

  const scans = await tableScans(stage, statements, users)
  const lookUps = ms[byId] as number[]
  return [
    {
      id: 'search',
      title: `Search among ${users.toLocaleString('en')} accounts`,
      ratios: [
        ...Object.entries(ms).filter(([label]) => label !== byId).map(([label, values]) =>
          ratio(`${label} ÷ ${byId}, median time`, values, lookUps, { atMost: 50 })),
        judged('statements that read all accounts', [scans.length], { atMost: 0 }),
      ],
      figures: Object.entries(ms).map(([label, values]) => ({ label, unit: 'ms', ...spread(values) })),
      notes: scans,
    },
  ]
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** A scan that a LIMIT ends early reads few accounts. */
const readsAll = (users: number) => (node: Plan) =>
  node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'users' &&
  node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) > users / 2

/** The statements that read all accounts. */
async function tableScans (
  stage: Bench['stage'],
  statements: ReturnType<typeof watchStatements>,
  users: number
): Promise<string[]> {
  const found: string[] = []
  for (const [sql, values] of statements) {
    if (!/\busers u\b|FROM users\b/.test(sql) || !/^\s*SELECT/.test(sql)) continue
    const [row] = await stage.query<{ 'QUERY PLAN': Array<{ Plan: Plan }> }>(
      DATABASE, `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values)
    if (row?.['QUERY PLAN'].some(({ Plan }) => nodesOf(Plan).some(readsAll(users)))) found.push(sql.trim())
  }
  return found
}
