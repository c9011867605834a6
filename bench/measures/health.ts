import type { Bench } from '../bench.ts'
import { startGatehouse } from '../contenders/contenders.ts'
import type { Result } from '../figures/results.ts'
import { alternate, inShortRounds, judged, ratio, spread } from '../figures/rounds.ts'
import { startSameResponse } from '../contenders/same-response.ts'

const CONNECTIONS = 16
const QUERY_SECONDS = 5
const BARE = 'bare node:http, same bytes'

export async function measureHealth (bench: Bench): Promise<Result[]> {
  const { load, stage } = bench
  const { warmUp, rounds, seconds } = inShortRounds(bench.options)
  const gatehouse = await bench.start(startGatehouse(stage, bench.service.program, 10))
  const bare = await bench.start(startSameResponse({ port: gatehouse.port, path: '/health' }))

  const answers = async (port: number, seconds: number) =>
    (await load({ port, method: 'GET', path: '/health', connections: CONNECTIONS, seconds })).rate

  const rates = await alternate(
    { warmUp, rounds },
    {
      [BARE]: () => answers(bare.port, seconds),
      'Gatehouse /health': () => answers(gatehouse.port, seconds),
    },
    bench.progress
  )

  bench.progress('database queries')
  const before = await countPings(bench)
  const began = performance.now()
  await answers(gatehouse.port, QUERY_SECONDS)
  // The first one is immediate. The others show the interval.
  const queriesPerSecond = (((await countPings(bench)) - before - 1) * 1_000) / (performance.now() - began)
  return [
    {
      id: 'health',
      title: 'Health',
      ratios: [
        ratio(`health ÷ ${BARE}`, rates['Gatehouse /health'], rates[BARE], { atLeast: 0.75 }),
        { ...judged('health: database queries a second', [queriesPerSecond], { atMost: 1 }), unit: '/s' },
      ],
      figures: Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
    },
  ]
}

/** The queries of /health so far. The job queue and the purge have queries of their own. */
async function countPings ({ stage }: Bench): Promise<number> {
  await stage.query('postgres', 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
  const [row] = await stage.query<{ calls: number }>(
    'postgres',
    `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements
      WHERE userid = 'gatehouse'::regrole AND query LIKE 'SELECT current_setting(%AS now'`
  )
  if (!row?.calls) throw new Error('pg_stat_statements has no query of /health')
  return row.calls
}
