// How long tests wait. A limit says what an idle machine needs; a busy one gets as much more as it is measured to be
// slower, so that a slow machine is not taken for a hang.
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds of processor time: several turns of the scheduler. */
const WORK = 50
const MEASURE_EVERY = 5_000
/** For everything that a measurement of the processor does not show: a slow disk, several processes in a row. */
const MARGIN = 20
/** A single measurement can be an exception: it must not make a test wait for hours. */
const MAX_SLOWNESS = 30
/** For tests that take minutes. It only stops one that hangs; tap's own limit for a file is longer. */
export const HANG_TIMEOUT = 900_000

let slowest = 1
let measuredAt = -Infinity

/**
 * How many times longer than on an idle machine a piece of work takes: its duration by its processor time.
 * The slowest so far, because the load of others changes.
 */
function slowness (): number {
  if (performance.now() - measuredAt < MEASURE_EVERY) return slowest
  const [began, used] = [performance.now(), process.cpuUsage()]
  let spent = 0
  while (spent < WORK) {
    const { user, system } = process.cpuUsage(used)
    spent = (user + system) / 1_000
  }
  measuredAt = performance.now()
  slowest = Math.min(MAX_SLOWNESS, Math.max(slowest, (measuredAt - began) / spent))
  return slowest
}

/** Whether others use so much of the machine that a service is right to refuse what it has no time for (503). */
export const isStarved = (): boolean => slowness() > 2

/** Whether something took longer than the speed of the machine explains. On an idle one it takes `usualMs` at most. */
export function isLate (ms: number, usualMs: number): boolean {
  return ms > usualMs && ms > usualMs * slowness()
}

/** Repeats a call until its result is as expected. On an idle machine that takes less than `usualMs`. */
export async function eventually<T> (
  ask: () => Promise<T> | T,
  wished: (answer: T) => boolean,
  usualMs: number
): Promise<T> {
  const began = performance.now()
  for (;;) {
    const answer = await ask()
    if (wished(answer)) return answer
    const waited = performance.now() - began
    if (waited > usualMs * Math.max(MARGIN, 2 * slowness())) {
      throw new Error(`not within ${Math.round(waited)} ms, ${slowness().toFixed(1)} times slower than an idle ` +
        `machine; last: ${JSON.stringify(answer)}`)
    }
    await sleep(25)
  }
}
