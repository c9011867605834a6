import type { Bench } from '../bench.ts'
import { startGatehouse } from '../contenders/contenders.ts'
import { createCosts } from '../figures/costs.ts'
import { createRotator } from '../contenders/pgbench.ts'
import { createRefresher } from '../workloads/refreshes.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { fillSessions } from '../data/sessions.ts'

/** As many as the service has connections to PostgreSQL. */
const CONCURRENCY = 10
/** Rounds. A refresh is a third slower at first: V8 has compiled all of it only after some ten thousand. */
const WARM_UP = 6

/** Rotations a second, of the service and of PostgreSQL alone. */
export async function measureRefresh (bench: Bench): Promise<Result[]> {
  const {
    load,
    options: { rounds, seconds },
    stage,
  } = bench
  const gatehouse = await bench.start(startGatehouse(stage, bench.service.program, 10))
  const values = await fillSessions(stage, gatehouse.database, {
    users: 1_000,
    sessions: CONCURRENCY,
    sample: CONCURRENCY,
  })
  const refreshes = createRefresher(load, gatehouse.port, values, seconds)
  const costs = createCosts(stage, { Gatehouse: gatehouse.processorTime, 'the load': load.processorTime })
  const rotator = await createRotator(stage, gatehouse.database, CONCURRENCY)
  const rates = await alternate(
    { warmUp: WARM_UP, rounds },
    {
      [rotator.name]: () => rotator.run(Math.ceil(seconds)),
      Gatehouse: async () => (await costs.during(refreshes)).rate,
    },
    bench.progress
  )
  return [
    {
      id: 'refresh',
      title: 'Refresh',
      ratios: [
        ratio(
          `refresh ÷ ${rotator.name} with the same statement`,
          rates.Gatehouse as number[],
          rates[rotator.name] as number[],
          { atLeast: 0.5 }
        ),
      ],
      figures: [
        ...Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
        ...costs.figures('a refresh'),
      ],
    },
  ]
}
