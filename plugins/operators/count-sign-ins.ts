import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
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
  const { accountTotals, log } = app
  const closing = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  app.decorate('countSignIns', createCountSignIns(app))

  async function follow (count: () => Promise<void>, interval: number) {
    while (!closing.signal.aborted) {
      await count().catch(err => log.warn({ err }, 'the charts of operators are updated later'))
      await sleep(interval, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  app.addHook('onListen', async () => {
    running = Promise.all([follow(app.countSignIns, INTERVAL), follow(accountTotals.count, TOTALS_INTERVAL)])
  })
  app.addHook('preClose', async function stopCounting () {
    closing.abort()
    await running
  })
}, { name: 'count-sign-ins', dependencies: ['account-totals', 'database', 'event-reader', 'sign-in-counts'] })
