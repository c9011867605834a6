import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBackgroundWork } from '../../src/database/background-work.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { ReaderName } from '../records/audit/event-reader.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts the sign-ins since the last time, for the charts. One instance does so at a time. */
    countSignIns (closing?: AbortSignal): Promise<void>
    /** Notes when accounts have signed in since the last time, for the list of accounts. */
    noteSignIns (closing?: AbortSignal): Promise<void>
  }
}

const INTERVAL = 5_000
/** How often each instance looks whether accounts and sessions should be counted. */
const TOTALS_INTERVAL = 60_000
const BATCH_SIZE = 1_000

type Handle = (client: Queryable, eventIds: string[]) => Promise<void>

/** Reads the new events in batches, each with one transaction. */
function createReading ({ database, eventReader }: FastifyInstance, name: ReaderName, handle: Handle) {
  /** Returns whether there may be more. */
  async function readBatch (client: Queryable): Promise<boolean> {
    const batch = await eventReader.next(client, name, BATCH_SIZE)
    if (!batch || batch.isIdle) return false
    await handle(client, batch.events.map(({ id }) => id))
    await batch.advance()
    return !batch.isLast
  }

  return async function read (closing?: AbortSignal) {
    while (!closing?.aborted && await database.transact(readBatch));
  }
}

export default fp(async function (app) {
  app.decorate('countSignIns', createReading(app, 'counts', app.signInCounts.add))
  app.decorate('noteSignIns', createReading(app, 'last-sign-ins', app.lastSignIns.note))

  const { repeat } = createBackgroundWork(app, 'the charts and lists of operators are updated later')
  repeat(INTERVAL, app.countSignIns)
  repeat(INTERVAL, app.noteSignIns)
  repeat(TOTALS_INTERVAL, app.accountTotals.count)
}, {
  name: 'count-sign-ins',
  dependencies: ['account-totals', 'database', 'event-reader', 'last-sign-ins', 'sign-in-counts'],
})
