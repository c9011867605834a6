import type { Bench } from '../bench.ts'
import { NO_LIMITS, startGatehouse } from '../contenders/contenders.ts'
import { createCosts } from '../figures/costs.ts'
import { createRefresher } from '../workloads/refreshes.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { fillSessions } from '../data/sessions.ts'

/** As many as the service has connections to PostgreSQL. */
const CONCURRENCY = 10

/** What a pooler without prepared statements costs, apart from the pooler: refreshes of two instances in turn. */
export async function measurePrepare (bench: Bench): Promise<Result[]> {
  const { load, options: { rounds, seconds }, stage, service } = bench

  async function contend (setting: 'on' | 'off') {
    const settings = { ...NO_LIMITS, DATABASE_PREPARE: setting }
    const { database, port, processorTime } = await bench.start(startGatehouse(stage, service.program, 10, settings))
    const counts = { users: 1_000, sessions: CONCURRENCY, sample: CONCURRENCY }
    const refreshes = createRefresher(load, port, await fillSessions(stage, database, counts), seconds)
    const costs = createCosts(stage, { Gatehouse: processorTime })
    return { name: `DATABASE_PREPARE=${setting}`, costs, run: async () => (await costs.during(refreshes)).rate }
  }

  const [on, off] = [await contend('on'), await contend('off')]
  const rates = await alternate({ rounds }, { [on.name]: on.run, [off.name]: off.run }, bench.progress)
  return [
    {
      id: 'prepare',
      title: 'Refresh with and without prepared statements',
      ratios: [ratio('refreshes: off ÷ on', rates[off.name] as number[], rates[on.name] as number[])],
      figures: [on, off].flatMap(({ name, costs }) => [
        { label: name, unit: '/s', ...spread(rates[name] as number[]) },
        ...costs.figures(`a refresh, ${name}`),
      ]),
    },
  ]
}
