import { compare, quantile, type Samples, type Verdict } from './statistics.ts'

/** A class of requests: sends one, with a number that it has for itself. May measure the time itself, and return it. */
export type Ask = (number: number) => Promise<unknown>

interface Plan {
  reference: Ask
  /** Must take as long as the reference. */
  classes: Record<string, Ask>
  /** Must be found to differ: otherwise the measurement could not find a real leak. */
  planted: Record<string, Ask>
  /** Half of the planted leak, in milliseconds: what differs by less counts as equal. */
  limit?: number
  /** Instead of `limit`: a share of the time of the reference. */
  tolerance?: number
  /** What was planted is measured until it is decided. */
  maxRounds?: number
}

const ROUNDS_AT_ONCE = 50
/** Some five minutes on an idle machine; it needs a fraction of it. */
const MAX_ROUNDS = 5_000

/** Takes samples, all classes in turn and in random order, until each is decided. A busy machine needs more of them. */
export async function measure (plan: Plan) {
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
    const undecided = found.filter(({ verdict }) => verdict === 'undecided')
    const rounds = undecided.some(({ name }) => name in planted) ? MAX_ROUNDS : maxRounds
    if (undecided.length > 0 && round + 1 < rounds) continue
    for (const { name, low, high, verdict } of found) {
      const range = `${low.toFixed(2).padStart(7)} to ${high.toFixed(2).padStart(6)} ms`
      console.error(`#   ${name.padEnd(24)} ${range}  ${verdict}`)
    }
    console.error(`#   ${round + 1} rounds`)
    return Object.fromEntries(found.map(({ name, verdict }) => [name, verdict])) as Record<string, Verdict>
  }
}

function shuffle<T> (items: T[]): T[] {
  return items.map(item => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at).map(({ item }) => item)
}
