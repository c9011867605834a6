import { findingsFor, type Finding } from './finding.ts'

/** Token expiry is set by one clock and checked by another: a small difference is harmless. */
const WARNING_SKEW_MS = 1_000
const MAX_SKEW_MS = 5_000

/** `readClock` returns milliseconds since the epoch. */
export async function checkClock (server: string, readClock: () => Promise<number>): Promise<Finding> {
  const { ok, warning, problem } = findingsFor(`clock of ${server}`)
  const before = Date.now()
  const theirs = await readClock()
  const skew = Math.max(0, before - theirs, theirs - Date.now())
  const found = `The clocks of this machine and of ${server} differ by ${Math.round(skew / 100) / 10} s.`
  const advice = 'Synchronize both with NTP. Otherwise tokens expire too early or too late.'
  if (skew >= MAX_SKEW_MS) return problem(found, advice)
  return skew >= WARNING_SKEW_MS ? warning(found, advice) : ok(`The clocks of this machine and of ${server} agree.`)
}
