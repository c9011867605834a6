import type { Bench } from '../bench.ts'
import { createRotator } from '../contenders/pgbench.ts'
import type { Result } from '../figures/results.ts'
import { judged, spread } from '../figures/rounds.ts'
import { fillSessions, fillUsers } from '../data/sessions.ts'

const DATABASE = 'million'
const CONCURRENCY = 10

interface Size { rows: number, bytes: number, updates: number, hot: number }

/** What a million refreshes leave behind in the table of the sessions. */
export async function measureMillion ({ options: { quick }, progress, stage }: Bench): Promise<Result[]> {
  await stage.createServiceDatabase(DATABASE)
  await fillUsers(stage, DATABASE, 1_000, `$2b$10$${'.'.repeat(53)}`)
  await fillSessions(stage, DATABASE, { users: 1_000, sessions: 10_000, sample: 0 })
  const rotator = await createRotator(stage, DATABASE, CONCURRENCY)

  async function measure (): Promise<Size> {
    const [size] = await stage.query<Size>(DATABASE, `
      SELECT (SELECT count(*)::int FROM refresh_tokens) AS rows,
        pg_total_relation_size('refresh_tokens')::float8 AS bytes,
        n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot
      FROM pg_stat_user_tables WHERE relname = 'refresh_tokens'`)
    return size as Size
  }

  await rotator.repeat(CONCURRENCY)
  const before = await measure()
  progress('refreshing')
  const refreshed = await rotator.repeat(quick ? 10_000 : 1_000_000)
  const after = await measure()
  const added = after.rows - before.rows - CONCURRENCY
  const hotShare = (after.hot - before.hot) / (after.updates - before.updates)
  return [
    {
      id: 'million',
      title: `${refreshed.toLocaleString('en')} refreshes in a table of 10,000 sessions`,
      ratios: [
        judged('rows added', [added], { atMost: 0 }),
        judged('size of the table and its indexes ÷ before', [after.bytes / before.bytes], { atMost: 1.5 }),
        judged('HOT updates ÷ updates', [hotShare], { atLeast: 0.99 }),
      ],
      figures: [
        { label: 'before', unit: 'bytes', ...spread([before.bytes]) },
        { label: 'after', unit: 'bytes', ...spread([after.bytes]) },
      ],
    },
  ]
}
