import type { Outcome } from '../load/job.ts'
import type { Figure } from './results.ts'
import { spread } from './rounds.ts'
import type { Stage } from '../environment/stage.ts'

/** Seconds of processor time that a process has used so far. */
type Clock = () => number

/** The processor time of each request: in PostgreSQL, in Redis, and in the given processes. */
export function createCosts (stage: Stage, processes: Record<string, Clock> = {}) {
  const milliseconds: Record<string, number[]> = {}

  async function used (): Promise<Record<string, number>> {
    const { postgres, redis } = await stage.processorTimes()
    const others = Object.entries(processes).map(([name, clock]) => [name, clock()])
    return { PostgreSQL: postgres, Redis: redis, ...Object.fromEntries(others) }
  }

  return {
    async during<O extends Pick<Outcome, 'statuses'>> (work: () => Promise<O>): Promise<O> {
      const before = await used()
      const outcome = await work()
      const after = await used()
      const requests = Object.values(outcome.statuses).reduce((sum, count) => sum + count, 0)
      for (const [name, seconds] of Object.entries(after)) {
        milliseconds[name] ??= []
        milliseconds[name].push(((seconds - (before[name] as number)) * 1_000) / requests)
      }
      return outcome
    },

    /** Without the warm-up rounds. */
    figures: (what: string, warmUp = 1): Figure[] =>
      Object.entries(milliseconds).map(([name, values]) => ({
        label: `${name}, processor time of ${what}`,
        unit: 'ms',
        ...spread(values.slice(warmUp)),
      })),
  }
}
