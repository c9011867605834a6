/** Times of many requests of one class, in milliseconds. */
export type Samples = number[]

interface Interval { low: number, high: number }

/**
 * A low quantile: noise only ever delays a response, so the fast responses of a busy machine are those of an idle one.
 * A constant delay moves every quantile.
 */
const QUANTILE = 0.2
/** The confidence of an interval, in standard deviations: one in some 150,000 does not contain the true value. */
const SIGMAS = 4.5

export const quantile = (samples: Samples): number =>
  samples.toSorted((a, b) => a - b)[Math.floor(QUANTILE * samples.length)] ?? 0

/** Contains the true quantile, whatever the distribution of the samples. Too few samples: everything. */
function quantileInterval (samples: Samples): Interval {
  const sorted = samples.toSorted((a, b) => a - b)
  const center = QUANTILE * sorted.length
  const reach = SIGMAS * Math.sqrt(QUANTILE * (1 - QUANTILE) * sorted.length)
  return {
    low: sorted[Math.floor(center - reach)] ?? -Infinity,
    high: sorted[Math.ceil(center + reach)] ?? Infinity,
  }
}

export type Verdict = 'equal' | 'different' | 'undecided'

/** Whether two classes of requests differ by more than `limit` milliseconds. Noise makes it undecided, never wrong. */
export function compare (one: Samples, other: Samples, limit: number): Interval & { verdict: Verdict } {
  const [a, b] = [quantileInterval(one), quantileInterval(other)]
  const [low, high] = [a.low - b.high, a.high - b.low]
  const verdict = low > limit || high < -limit ? 'different' : low > -limit && high < limit ? 'equal' : 'undecided'
  return { low, high, verdict }
}
