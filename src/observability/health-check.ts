import { setTimeout as sleep } from 'node:timers/promises'

export type CheckValue = 'ok' | 'error' | 'checking'

/** The probe runs at most once in this time, regardless of the number of requests. */
const MAX_AGE = 1_000
/** The longest time that a request waits for the probe. */
const CHECK_TIMEOUT = 500

/**
 * Shares one probe among concurrent callers. A recent result is returned at once.
 * A probe that has not finished within its timeout is reported as `checking`.
 */
export function createCheck (probe: () => Promise<unknown>): () => CheckValue | Promise<CheckValue> {
  let value: CheckValue = 'checking'
  let startedAt = -Infinity
  let running = false
  let settled: Promise<unknown> = Promise.resolve()
  const current = (): CheckValue => running ? 'checking' : value

  function start () {
    startedAt = performance.now()
    running = true
    const finished = probe()
      .then(() => { value = 'ok' }, () => { value = 'error' })
      .finally(() => { running = false })
    settled = Promise.race([finished, sleep(CHECK_TIMEOUT)])
  }

  return function check () {
    if (!running && performance.now() - startedAt >= MAX_AGE) start()
    return running ? settled.then(current) : value
  }
}
