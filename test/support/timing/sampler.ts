import type { Test } from 'tap'
import { compare, quantile, type Samples, type Verdict } from './statistics.ts'

/** A class of requests: sends one, with a number that it has for itself. May measure the time itself, and return it. */
export type Ask = (number: number) => Promise<unknown>

interface Plan {
  reference: Ask
  /** Must take as long as the reference. */
  classes: Record<string, Ask>
  /** Differ: a measurement that finds them equal could not find a real leak. */
  planted: Record<string, Ask>
  /** Half of the planted leak, in milliseconds: what differs by less counts as equal. */
  limit?: number
  /** Instead of `limit`: a share of the time of the reference. */
  tolerance?: number
  maxRounds?: number
}

const ROUNDS_AT_ONCE = 50
/** Some five minutes on an idle machine; it needs a fraction of it. */
const MAX_ROUNDS = 5_000

/** Takes samples, all classes in turn and in random order, until each is decided: the more noise, the more samples. */
export async function measure (t: Test, plan: Plan) {
  const { reference, classes, planted, limit = 1.5, tolerance, maxRounds = MAX_ROUNDS } = plan
  const asks = Object.entries({ reference, ...classes, ...planted })
  const times: Record<string, Samples> = Object.fromEntries(asks.map(([name]) => [name, []]))
  for (let round = -1; ; round++) {
    for (const [name, ask] of shuffle(asks)) {
      const sent = performance.now()
      const measured = await ask(round)
      // The first round compiles code and opens connections.
      if (round >= 0) times[name]?.push(typeof measured === 'number' ? measured : performance.now() - sent)
    }
    if ((round + 1) % ROUNDS_AT_ONCE > 0) continue
    const { reference = [], ...others } = times
    const allowed = tolerance ? tolerance * quantile(reference) : limit
    const found = Object.entries(others).map(([name, samples]) => ({ name, ...compare(samples, reference, allowed) }))
    if (found.some(({ verdict }) => verdict === 'undecided') && round + 1 < maxRounds) continue
    t.comment(`${round + 1} rounds`)
    for (const { name, low, high, verdict } of found) judge(name, `${low.toFixed(2)} to ${high.toFixed(2)} ms`, verdict)
    return
  }

  // Only what is shown fails: a class that differs from the reference, or a planted leak that is equal to it. What
  // noise leaves undecided is inconclusive, and counts as passed.
  function judge (name: string, range: string, verdict: Verdict) {
    if (verdict === 'undecided') t.comment(`inconclusive: ${name}: ${range}`)
    t.not(verdict, name in planted ? 'equal' : 'different', `${name}: ${range}, ${verdict}`)
  }
}

function shuffle<T> (items: T[]): T[] {
  return items.map(item => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at).map(({ item }) => item)
}
