import type { Outcome } from './load/job.ts'
import type { Figure } from './results.ts'
import { spread } from './rounds.ts'
import type { Stage } from './stage.ts'

/** The processor time of PostgreSQL and Redis for each request, which tells how large they must be. */
export function createCosts (stage: Stage) {
  const milliseconds = { postgres: [] as number[], redis: [] as number[] }

  return {
    async during (work: () => Promise<Outcome>): Promise<Outcome> {
      const before = await stage.processorTimes()
      const outcome = await work()
      const after = await stage.processorTimes()
      const requests = Object.values(outcome.statuses).reduce((sum, count) => sum + count, 0)
      for (const part of ['postgres', 'redis'] as const) {
        milliseconds[part].push(((after[part] - before[part]) * 1_000) / requests)
      }
      return outcome
    },

    /** Without the warm-up rounds. */
    figures: (what: string, warmUp = 1): Figure[] => [
      { label: `PostgreSQL, processor time of ${what}`, unit: 'ms', ...spread(milliseconds.postgres.slice(warmUp)) },
      { label: `Redis, processor time of ${what}`, unit: 'ms', ...spread(milliseconds.redis.slice(warmUp)) },
    ],
  }
}
