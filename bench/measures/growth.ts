import type { Bench } from '../bench.ts'
import { fillWithoutIndexes } from '../data/bulk.ts'
import { startService } from '../contenders/contenders.ts'
import { openRecords, tableScans } from '../contenders/service-in-process.ts'
import type { Result } from '../figures/results.ts'
import { alternate, judged, ratio, spread } from '../figures/rounds.ts'
import { fillSessions, fillUsers } from '../data/sessions.ts'
import type { Stage } from '../environment/stage.ts'

const SIZES = {
  small: { users: 1_000, sessions: 20_000 },
  large: { users: 1_000_000, sessions: 5_000_000 },
}
type Size = keyof typeof SIZES

/** Sessions that can be refreshed, each once: enough for all rounds. */
const SAMPLE = 20_000

export type Grown = Record<Size, { database: string, refreshTokens: string[] }>

export async function growDatabases (stage: Stage): Promise<Grown> {
  return { small: await grow('small'), large: await grow('large') }

  async function grow (database: Size) {
    const { users, sessions } = SIZES[database]
    let refreshTokens: string[] = []
    await stage.createServiceDatabase(database)
    await fillWithoutIndexes(stage, database, 'users', () =>
      fillUsers(stage, database, users, `$2b$10$${'.'.repeat(53)}`)
    )
    await fillWithoutIndexes(stage, database, 'refresh_tokens', async () => {
      refreshTokens = await fillSessions(stage, database, { users, sessions, sample: SAMPLE })
    })
    await stage.query(database, 'VACUUM ANALYZE')
    return { database, refreshTokens }
  }
}

/** How much slower operations are with a thousand times the users, and whether the hot paths use indexes. */
export async function measureGrowth (bench: Bench, grown: Grown): Promise<Result[]> {
  const {
    load,
    options: { rounds },
    stage,
  } = bench
  const perRound = Math.floor(SAMPLE / (rounds + 1))

  async function prepare (size: Size) {
    const { database, refreshTokens } = grown[size]
    const service = await bench.start(startService(stage, bench.service.program, database, 10))
    const records = await openRecords(bench, database, SIZES[size].users)
    return {
      records,
      /** Milliseconds for one, measured by the client. */
      async refresh () {
        const cookies = refreshTokens.splice(0, perRound).map(value => ({ refresh_token: value }))
        const { p50, statuses } = await load({
          port: service.port,
          method: 'POST',
          path: '/api/auth/refresh',
          cookies,
          connections: 1,
          seconds: 1,
        })
        if (Object.keys(statuses).join() !== '200') {
          throw new Error(`refreshes were refused: ${JSON.stringify(statuses)}`)
        }
        return p50
      },
    }
  }

  const small = await prepare('small')
  const large = await prepare('large')
  const ms = await alternate(
    { rounds },
    {
      'refresh, 1 k users': small.refresh,
      'refresh, 1 M users': large.refresh,
      'database part of login, 1 k users': small.records.signIn,
      'database part of login, 1 M users': large.records.signIn,
    },
    bench.progress
  )
  const statements = await large.records.hotStatements()
  const scans = await tableScans(stage, grown.large.database, statements)

  return [
    {
      id: 'growth',
      title: 'Growth: 1 M users and 5 M sessions beside 1 k users',
      ratios: [
        ratio('refresh: 1 M users ÷ 1 k users, median time', ms['refresh, 1 M users'], ms['refresh, 1 k users'], {
          atMost: 1.2,
        }),
        ratio(
          'database part of login: 1 M users ÷ 1 k users, median time',
          ms['database part of login, 1 M users'],
          ms['database part of login, 1 k users'],
          { atMost: 1.2 }
        ),
        judged('hot queries that read a whole table', [scans.length], { atMost: 0 }),
      ],
      figures: [
        ...Object.entries(ms).map(([label, values]) => ({ label, unit: 'ms', ...spread(values) })),
        {
          label: 'on disk, a user',
          unit: 'bytes',
          ...spread([await bytesPerRow(stage, 'users', SIZES.large.users)]),
        },
        {
          label: 'on disk, a session',
          unit: 'bytes',
          ...spread([await bytesPerRow(stage, 'refresh_tokens', SIZES.large.sessions)]),
        },
      ],
      notes: [
        `EXPLAIN of ${statements.length} statements of sign-in, refresh, reuse, the list of sessions and sign-out, ` +
          'with 5 M sessions.',
        ...scans.map(scan => `Reads a whole table: ${scan}`),
      ],
    },
  ]
}

/** Including indexes. */
async function bytesPerRow (stage: Stage, table: string, rows: number): Promise<number> {
  const [row] = await stage.query<{ bytes: number }>(
    'large',
    `SELECT pg_total_relation_size('${table}')::float8 AS bytes`
  )
  return (row?.bytes ?? NaN) / rows
}
