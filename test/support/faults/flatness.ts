import { compare, median } from '../timing/statistics.ts'

/** Caches fill, code is compiled and the first rows grow old in this part of a run. */
const WARM_UP = 0.4
/** Standard deviations by which the ranks must differ: chance does not do that. */
const SURE = 4

/** Growth that is both surely there and large; nothing where the figures are flat, however they jump about. */
export function growth (samples: number[], large: { share: number, least: number }): string | undefined {
  const settled = samples.slice(Math.floor(samples.length * WARM_UP))
  const third = Math.floor(settled.length / 3)
  const [early, late] = [settled.slice(0, third), settled.slice(-third)]
  const [before, after] = [median(early), median(late)]
  const isLarge = after - before > Math.max(before * large.share, large.least)
  return isLarge && compare(late, early) > SURE ? `from ${before} to ${after}` : undefined
}
