import type { Bound, Ratio, Spread } from './results.ts'

/** How many short rounds take as long as a usual one. */
const SHORTER = 4

/**
 * Runs the contenders in turn, round after round, so that other load on the machine affects all of them.
 * The first rounds are the warm-up.
 */
export async function alternate<K extends string> (
  { warmUp = 1, rounds }: { warmUp?: number, rounds: number },
  contenders: Record<K, () => Promise<number>>,
  progress: (done: string) => void
): Promise<Record<K, number[]>> {
  const names = Object.keys(contenders) as K[]
  const measured = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<K, number[]>
  for (let round = 1 - warmUp; round <= rounds; round++) {
    for (const name of names) {
      progress(`${round < 1 ? 'warm-up' : `round ${round} of ${rounds}`}: ${name}`)
      const value = await contenders[name]()
      if (round > 0) measured[name].push(value)
    }
  }
  return measured
}

/**
 * For contenders that are warm at once: as long in all, but in short rounds. The speed of a machine that shares its
 * cores with others changes within seconds, and then contenders of the same round are measured at different speeds.
 */
export const inShortRounds = ({ rounds, seconds }: { rounds: number, seconds: number }) => ({
  warmUp: SHORTER,
  rounds: rounds * SHORTER,
  seconds: seconds / SHORTER,
})

export function median (values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle - 1)] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2
}

export const spread = (values: number[]): Spread => ({
  median: median(values),
  low: Math.min(...values),
  high: Math.max(...values),
})

/** Computed for each round, so that a slow moment of the machine cancels out. */
export function ratio (label: string, above: number[], below: number[], bound?: Bound): Ratio {
  return judged(
    label,
    above.map((value, round) => value / (below[round] as number)),
    bound
  )
}

export function judged (label: string, values: number[], bound?: Bound): Ratio {
  const found = spread(values)
  const met =
    bound &&
    (bound.atLeast === undefined || found.median >= bound.atLeast) &&
    (bound.atMost === undefined || found.median <= bound.atMost)
  return { label, ...found, ...(bound && { bound, met }) }
}
