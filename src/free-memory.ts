import { Session } from 'node:inspector/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const CHECK_INTERVAL = 10_000
/** The share of one core that an instance without requests uses at most. */
const IDLE_SHARE = 0.05
/** How much V8's memory must have grown since it was last freed to be worth a pause. */
const GROWTH = 1.3

/**
 * Returns memory that nothing uses any more, which V8 would keep until it needs it: 14 of 111 MB after the start.
 * Stops everything else for about 80 ms. A usual garbage collection takes half as long and returns nothing.
 */
async function freeMemory () {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}

/** Frees memory now, and again whenever the instance is idle after a load that needed more. Never returns. */
export async function keepMemoryLow (interval = CHECK_INTERVAL) {
  for (;;) {
    await freeMemory()
    // V8 may go on to return memory in the background: what is needed is the least that is ever seen.
    let least = process.memoryUsage().heapTotal
    let isWasted = false
    while (!isWasted) {
      const before = process.cpuUsage()
      await sleep(interval, undefined, { ref: false })
      const { user, system } = process.cpuUsage(before)
      const { heapTotal } = process.memoryUsage()
      least = Math.min(least, heapTotal)
      isWasted = heapTotal > GROWTH * least && user + system < IDLE_SHARE * interval * 1_000
    }
  }
}
