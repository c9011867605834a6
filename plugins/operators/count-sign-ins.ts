import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBackgroundWork } from '../../src/database/background-work.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts the sign-ins since the last time, for the charts. One instance does so at a time. */
    countSignIns (): Promise<void>
  }
}

const INTERVAL = 5_000
/** How often each instance looks whether accounts and sessions should be counted. */
const TOTALS_INTERVAL = 60_000
const BATCH_SIZE = 1_000

function createCountSignIns ({ database, eventReader, signInCounts }: FastifyInstance) {
  /** Returns whether there may be more. */
  async function countBatch (client: Queryable): Promise<boolean> {
    const batch = await eventReader.next(client, 'counts', BATCH_SIZE)
    if (!batch || batch.isIdle) return false
    await signInCounts.add(client, batch.events.map(({ id }) => id))
    await batch.advance()
    return true
  }

  return async function countSignIns () {
    while (await database.transact(countBatch));
  }
}

export default fp(async function (app) {
  app.decorate('countSignIns', createCountSignIns(app))

  const { repeat } = createBackgroundWork(app, 'the charts of operators are updated later')
  repeat(INTERVAL, app.countSignIns)
  repeat(TOTALS_INTERVAL, app.accountTotals.count)
}, { name: 'count-sign-ins', dependencies: ['account-totals', 'database', 'event-reader', 'sign-in-counts'] })
