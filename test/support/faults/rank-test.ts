export function median (samples: number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] as number
}

/**
 * Mann-Whitney test: by how many standard deviations the ranks of two samples differ from chance.
 * Outliers have no extra weight.
 */
export function rankDistance (one: number[], other: number[]): number {
  const ranked = [...one.map(value => ({ value, mine: true })), ...other.map(value => ({ value, mine: false }))].sort(
    (a, b) => a.value - b.value
  )
  const rankSum = ranked.reduce((sum, { mine }, index) => (mine ? sum + index + 1 : sum), 0)
  const u = rankSum - (one.length * (one.length + 1)) / 2
  const mean = (one.length * other.length) / 2
  return (u - mean) / Math.sqrt((one.length * other.length * (one.length + other.length + 1)) / 12)
}
