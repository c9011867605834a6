/** The same seed gives the same choices (mulberry32). */
export function createRandom (seed: number) {
  let state = seed >>> 0

  function next (): number {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))

  return {
    between,
    chance: (share: number) => next() < share,
    pick: <T>(choices: readonly T[]): T => choices[between(0, choices.length - 1)] as T,
    /** An independent stream: the choices of one client do not change those of another. */
    fork: () => createRandom(between(0, 2 ** 32 - 1)),

    /** Picks a name with a probability in proportion to its weight. */
    weighted<K extends string> (weights: Record<K, number>): K {
      const entries = Object.entries<number>(weights) as Array<[K, number]>
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0]!)[0]
    },
  }
}

export type Random = ReturnType<typeof createRandom>
