import type { Bench } from '../bench.ts'
import { PARTS, startBareRefresh } from '../contenders/bare-refresh.ts'
import { startGatehouse } from '../contenders/contenders.ts'
import { createCosts } from '../figures/costs.ts'
import { createRotator } from '../contenders/pgbench.ts'
import { read } from '../contenders/same-response.ts'
import { createRefresher } from '../workloads/refreshes.ts'
import type { Outcome } from '../load/job.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { fillSessions } from '../data/sessions.ts'

/** As many as the service has connections to PostgreSQL. */
const CONCURRENCY = 10
/** Rounds. A refresh is a third slower at first: V8 has compiled all of it only after some ten thousand. */
const WARM_UP = 6
const BARE = 'bare node:http with pg'

/** Rotations a second, of the service, of bare servers with some of what it does, and of PostgreSQL alone. */
export async function measureRefresh (bench: Bench): Promise<Result[]> {
  const {
    load,
    options: { rounds, seconds },
    stage,
  } = bench
  const gatehouse = await bench.start(startGatehouse(stage, bench.service.program, 10))
  const values = await fillSessions(stage, gatehouse.database, {
    users: 1_000,
    sessions: CONCURRENCY + 1,
    sample: CONCURRENCY + 1,
  })
  const [example, ...tokens] = values as [string, ...string[]]
  const refreshes = createRefresher(load, gatehouse.port, tokens, seconds)
  const costs = createCosts(stage, { Gatehouse: gatehouse.processorTime, 'the load': load.processorTime })
  const response = await read({
    port: gatehouse.port, path: '/api/auth/refresh', method: 'POST', cookies: { refresh_token: example },
  })
  if (response.status !== 200) throw new Error(`the refresh gave ${response.status}`)
  const bare: Array<{ name: string, costs: typeof costs, run (): Promise<Outcome> }> = []
  for (const [name, parts] of [
    [BARE, []],
    ...PARTS.map(part => [`${BARE} and ${part}`, [part]] as const),
    [`${BARE} and all of these`, PARTS],
  ] as Array<[string, string[]]>) {
    const program = await bench.start(startBareRefresh(stage, gatehouse.database, response, parts))
    bare.push({
      name,
      costs: createCosts(stage, { [name]: program.processorTime }),
      run: createRefresher(load, program.port, tokens, seconds),
    })
  }
  const rotator = await createRotator(stage, gatehouse.database, CONCURRENCY)
  const rates = await alternate<string>(
    { warmUp: WARM_UP, rounds },
    {
      [rotator.name]: () => rotator.run(Math.ceil(seconds)),
      ...Object.fromEntries(bare.map(({ name, costs, run }) =>
        [name, async () => (await costs.during(run)).rate])),
      Gatehouse: async () => (await costs.during(refreshes)).rate,
    },
    bench.progress
  )
  return [
    {
      id: 'refresh',
      title: 'Refresh',
      ratios: [
        ratio(`refresh ÷ ${BARE}, the same statement and bytes`,
          rates.Gatehouse as number[], rates[BARE] as number[], { atLeast: 0.6 }),
        ratio(
          `refresh ÷ ${rotator.name} with the same statement`,
          rates.Gatehouse as number[],
          rates[rotator.name] as number[]
        ),
      ],
      figures: [
        ...Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
        ...costs.figures('a refresh', WARM_UP),
        ...bare.flatMap(({ name, costs }) =>
          costs.figures('a refresh', WARM_UP).filter(({ label }) => label.startsWith(`${name},`))),
      ],
    },
  ]
}
