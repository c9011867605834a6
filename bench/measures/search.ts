import type { Bench } from '../bench.ts'
import { createService } from '../contenders/service-in-process.ts'
import { fillWithoutIndexes } from '../data/bulk.ts'
import { fillPeople } from '../data/people.ts'
import type { Result } from '../figures/results.ts'
import { alternate, median, ratio, spread } from '../figures/rounds.ts'

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

/** The list of accounts of the operator page, by search, beside the look-up of one account by its id. */
export async function measureSearch (
  bench: Pick<Bench, 'options' | 'stage' | 'onEnd' | 'progress'>
): Promise<Result[]> {
  const { options: { quick, rounds }, progress, stage } = bench
  const users = quick ? 100_000 : 1_000_000
  await stage.createServiceDatabase(DATABASE)
  progress(`filling in ${users.toLocaleString('en')} accounts`)
  await fillWithoutIndexes(stage, DATABASE, 'users', () => fillPeople(stage, DATABASE, users))
  await stage.query(DATABASE, 'VACUUM ANALYZE users')
  const app = createService(bench, DATABASE)
  await app.ready()

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
    ...Object.fromEntries(Object.entries(SEARCHES).map(([label, textOf]) =>
      [label, () => time(n => app.userSearch.page({ q: textOf(n) }, undefined, 25))])),
    'disabled, by last sign-in': () => time(() => app.userSearch.page({ state: 'disabled' }, '-lastSignIn', 25)),
    'all, by username': () => time(() => app.userSearch.page({}, 'username', 25)),
  }, progress)

  const lookUps = ms[byId] as number[]
  return [
    {
      id: 'search',
      title: `Search among ${users.toLocaleString('en')} accounts`,
      ratios: Object.entries(ms).filter(([label]) => label !== byId).map(([label, values]) =>
        ratio(`${label} ÷ ${byId}, median time`, values, lookUps, { atMost: 50 })),
      figures: Object.entries(ms).map(([label, values]) => ({ label, unit: 'ms', ...spread(values) })),
    },
  ]
}
