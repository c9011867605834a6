import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBackgroundWork } from '../../src/database/background-work.ts'
import { messageOfSeal } from '../../src/webhooks/messages.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Seals the events since the last time. One instance does so at a time. */
    sealEvents (closing?: AbortSignal): Promise<void>
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
    return !batch.isLast
  }

  return async function sealEvents (closing?: AbortSignal) {
    while (!closing?.aborted && await database.transact(sealBatch));
  }
}

export default fp(async function (app) {
  app.decorate('sealEvents', createSealEvents(app))
  createBackgroundWork(app, 'events are sealed later').repeat(INTERVAL, app.sealEvents)
}, { name: 'seal-events', dependencies: ['audit-seals', 'database', 'deliveries', 'event-reader'] })
