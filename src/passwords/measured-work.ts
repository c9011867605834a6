/** More parameters than any import has: a file with all too many must not fill the memory. */
const MAX_KNOWN = 1_000
/** Fewer measurements may all have been delayed by other work of the machine. */
const MIN_MEASUREMENTS = 3

interface Measured { times: number, least: number }

/**
 * How long hashes take on this machine, in rounds of bcrypt, whose cost is the logarithm of its rounds.
 * The shortest time counts: other work of the machine only ever makes one longer.
 */
export function createMeasuredWork () {
  const known = new Map<string, Measured>()
  let perRound = Infinity

  async function time<T> (work: () => Promise<T>, note: (milliseconds: number) => void): Promise<T> {
    const began = performance.now()
    const result = await work()
    note(performance.now() - began)
    return result
  }

  return {
    get isCalibrated () { return perRound < Infinity },

    timeBcrypt<T> (cost: number, work: () => Promise<T>): Promise<T> {
      return time(work, milliseconds => { perRound = Math.min(perRound, milliseconds / 2 ** cost) })
    },

    /** `kind` names hashes that take equally long. */
    timeForeign<T> (kind: string, work: () => Promise<T>): Promise<T> {
      return time(work, milliseconds => {
        if (known.size >= MAX_KNOWN) known.clear()
        const { times, least } = known.get(kind) ?? { times: 0, least: Infinity }
        known.set(kind, { times: times + 1, least: Math.min(least, milliseconds) })
      })
    },

    /** `isCertain`: it was measured often enough. */
    roundsOf (kind: string): { rounds: number, isCertain: boolean } {
      const { times, least } = known.get(kind) ?? { times: 0, least: 0 }
      return { rounds: least / perRound, isCertain: times >= MIN_MEASUREMENTS }
    },
  }
}

/** The costs of bcrypt hashes that have so many rounds together, to within half of the cheapest. */
export function costsOfRounds (rounds: number): number[] {
  const CHEAPEST = 4
  let left = Math.round(rounds / 2 ** CHEAPEST)
  const costs: number[] = []
  for (let cost = CHEAPEST; left > 0; cost++, left = Math.floor(left / 2)) if (left % 2 === 1) costs.push(cost)
  return costs
}
