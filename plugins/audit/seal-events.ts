import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { messageOfSeal } from '../../src/webhooks/messages.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Seals the events since the last time. One instance does so at a time. */
    sealEvents (): Promise<void>
  }
}

const INTERVAL = 60_000
const BATCH_SIZE = 1_000

function createSealEvents ({ auditSeals, database, deliveries, eventReader }: FastifyInstance) {
  /** Returns whether there may be more. */
  async function sealBatch (client: Queryable): Promise<boolean> {
    const batch = await eventReader.next(client, 'audit', BATCH_SIZE)
    if (!batch || batch.isIdle) return false
    const seal = await auditSeals.add(client, batch.events.map(({ id }) => id))
    if (seal) await deliveries.add(client, [messageOfSeal(seal)])
    await batch.advance()
    return true
  }

  return async function sealEvents () {
    while (await database.transact(sealBatch));
  }
}

export default fp(async function (app) {
  const closing = new AbortController()
  let running = Promise.resolve()
  app.decorate('sealEvents', createSealEvents(app))

  async function follow () {
    while (!closing.signal.aborted) {
      await app.sealEvents().catch(err => app.log.warn({ err }, 'events are sealed later'))
      await sleep(INTERVAL, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  app.addHook('onListen', async () => { running = follow() })
  app.addHook('preClose', async function stopSealing () {
    closing.abort()
    await running
  })
}, { name: 'seal-events', dependencies: ['audit-seals', 'database', 'deliveries', 'event-reader'] })
