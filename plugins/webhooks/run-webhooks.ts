import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'

/** Between two looks for something to announce or to send. */
const INTERVAL = 1_000

/** Announces and sends while the service listens. A slow endpoint delays neither the others nor the announcing. */
export default fp(async function (app) {
  const closing = new AbortController()
  const running = new Set<Promise<void>>()

  function start (work: () => Promise<void>) {
    const run = work().catch(err => app.log.warn({ err }, 'webhooks are delayed')).finally(() => running.delete(run))
    running.add(run)
    return run
  }

  async function follow () {
    while (!closing.signal.aborted) {
      await start(app.announceEvents)
      start(app.sendMessages)
      await sleep(INTERVAL, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  app.addHook('onListen', async () => { follow() })
  app.addHook('preClose', async function stopWebhooks () {
    closing.abort()
    await Promise.all(running)
  })
}, { name: 'run-webhooks', dependencies: ['announce-events', 'send-messages'] })
