import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { atMostEvery } from '../observability/at-most-every.ts'

/** Long work ends early when `closing` aborts. */
type Work = (closing: AbortSignal) => Promise<void>

/** Milliseconds from one log line about failures to the next: rounds come each second, and an outage may last. */
const REPORT_INTERVAL = 60_000

/**
 * Work beside the requests, while the service listens. A failure is logged with this message, once a minute at most,
 * and the next round tries again. Closing the service waits for what is running.
 */
export function createBackgroundWork (app: FastifyInstance, message: string) {
  const closing = new AbortController()
  const running = new Set<Promise<void>>()
  const report = atMostEvery(REPORT_INTERVAL, (err: unknown) => app.log.warn({ err }, message))

  function start (work: Work): Promise<void> {
    const run = work(closing.signal).catch(report).finally(() => running.delete(run))
    running.add(run)
    return run
  }

  async function follow (interval: number, work: Work) {
    while (!closing.signal.aborted) {
      await start(work)
      await sleep(interval, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  app.addHook('preClose', async function stopBackgroundWork () {
    closing.abort()
    while (running.size > 0) await Promise.all(running)
  })

  return {
    start,

    /** Milliseconds from the end of one round to the next. */
    repeat (interval: number, work: Work) {
      app.addHook('onListen', async () => { start(() => follow(interval, work)) })
    },
  }
}
