import { setTimeout as sleep } from 'node:timers/promises'

/** A result is used for this time, and one probe serves all callers. In milliseconds. */
const MAX_AGE = 3_000
/** The longest that a caller waits for the probe. */
const CHECK_TIMEOUT = 2_000

/** Whether the mail server can be reached, as the probe and the last delivery found. */
export function createServerState (probe: () => Promise<unknown>) {
  let isUp = true
  let notedAt = -Infinity
  let running: Promise<void> | undefined

  function note (up: boolean) {
    isUp = up
    notedAt = performance.now()
  }

  return {
    note,

    /** A probe that takes long does not change what was known before. */
    async isUp (): Promise<boolean> {
      if (performance.now() - notedAt < MAX_AGE) return isUp
      running ??= probe().then(() => note(true), () => note(false)).finally(() => { running = undefined })
      await Promise.race([running, sleep(CHECK_TIMEOUT, undefined, { ref: false })])
      return isUp
    },
  }
}
