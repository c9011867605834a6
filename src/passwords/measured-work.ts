/** More parameters than any import has: a file with all too many must not fill the memory. */
const MAX_KNOWN = 1_000
/** Fewer measurements may all have been delayed by other work of the machine. */
const MIN_MEASUREMENTS = 3
/** Only the latest measurements count: the machine may be busier now than before. */
const MAX_RECENT = 21

function createTimes () {
  const recent: number[] = []
  return {
    count: 0,
    least: Infinity,
    add (milliseconds: number) {
      this.count++
      this.least = Math.min(this.least, milliseconds)
      recent.push(milliseconds)
      if (recent.length > MAX_RECENT) recent.shift()
    },
    get median () { return recent.toSorted((a, b) => a - b)[Math.floor(recent.length / 2)] ?? 0 },
  }
}

type Times = ReturnType<typeof createTimes>

/**
 * How long hashes take on this machine, in rounds of bcrypt, whose cost is the logarithm of its rounds.
 * `minCost`: cheaper ones are not measured, because starting them takes too much of their time.
 */
export function createMeasuredWork (minCost: number) {
  const known = new Map<string, Times>()
  const round = createTimes()

  async function time<T> (work: () => Promise<T>, note: (milliseconds: number) => void): Promise<T> {
    const began = performance.now()
    const result = await work()
    note(performance.now() - began)
    return result
  }

  function timesOf (kind: string): Times {
    const times = known.get(kind) ?? createTimes()
    if (!known.has(kind) && known.size >= MAX_KNOWN) known.clear()
    known.set(kind, times)
    return times
  }

  return {
    get isCalibrated () { return round.count > 0 },

    timeBcrypt<T> (cost: number, work: () => Promise<T>): Promise<T> {
      return time(work, milliseconds => { if (cost >= minCost) round.add(milliseconds / 2 ** cost) })
    },

    /** `kind` names hashes that take equally long. */
    timeForeign<T> (kind: string, work: () => Promise<T>): Promise<T> {
      return time(work, milliseconds => timesOf(kind).add(milliseconds))
    },

    /**
     * At present. Hashes with several threads (Argon2) take more rounds on a busy machine, so that the median counts:
     * the shortest time would be that of an idle one.
     */
    roundsOf: (kind: string): number => (known.get(kind)?.median ?? 0) / round.median,

    /** The longest of the minima: other work on the machine can only have made a single measurement longer. */
    get mostRounds () {
      const certain = [...known.values()].filter(({ count }) => count >= MIN_MEASUREMENTS)
      return Math.max(0, ...certain.map(({ least }) => least)) / round.least
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
