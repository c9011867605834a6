import { setTimeout as sleep } from 'node:timers/promises'

export type CheckValue = 'ok' | 'error' | 'checking'

/** A part is asked at most once in this time, however many monitors ask us. */
const FRESH_FOR = 1_000
/** A monitor waits no longer than this. */
const CHECK_TIMEOUT = 500

/** Shares one probe among all who ask; one that has not finished by its deadline reads `checking`. While it is fresh, nobody waits for its answer. */
export function createCheck (probe: () => Promise<unknown>): () => CheckValue | Promise<CheckValue> {
  let value: CheckValue = 'checking'
  let startedAt = -Infinity
  let running = false
  let answer: Promise<unknown> = Promise.resolve()
  const current = (): CheckValue => running ? 'checking' : value

  function start () {
    startedAt = performance.now()
    running = true
    const finished = probe()
      .then(() => { value = 'ok' }, () => { value = 'error' })
      .finally(() => { running = false })
    answer = Promise.race([finished, sleep(CHECK_TIMEOUT)])
  }

  return function check () {
    if (!running && performance.now() - startedAt >= FRESH_FOR) start()
    return running ? answer.then(current) : value
  }
}
