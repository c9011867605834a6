const SECOND = 1_000
const HOUR = 3_600 * SECOND

const FIRST_DELAY = 5 * SECOND
const MAX_DELAY = 2 * HOUR
/** A message is given up after this time. */
export const MAX_AGE = 24 * HOUR

/** Doubled each time: 5 seconds, 10 seconds, … 2 hours. `attempts` is how many have failed. */
export const delayAfter = (attempts: number): number =>
  Math.min(FIRST_DELAY * 2 ** Math.min(attempts - 1, 20), MAX_DELAY)
