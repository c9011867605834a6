import { median, rankDistance } from './rank-test.ts'

/** Share of a run that is ignored: caches fill, code is compiled, the first rows expire. */
const WARM_UP = 0.4
/** Standard deviations by which the ranks must differ to be significant. */
const SIGNIFICANT = 4

/** Growth that is both significant and large. Undefined where the figures are flat, even if they are noisy. */
export function growth (samples: number[], large: { share: number, least: number }): string | undefined {
  const settled = samples.slice(Math.floor(samples.length * WARM_UP))
  const third = Math.floor(settled.length / 3)
  const [early, late] = [settled.slice(0, third), settled.slice(-third)]
  const [before, after] = [median(early), median(late)]
  const isLarge = after - before > Math.max(before * large.share, large.least)
  return isLarge && rankDistance(late, early) > SIGNIFICANT ? `from ${before} to ${after}` : undefined
}
