import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBackgroundWork } from '../../src/database/background-work.ts'
import { deviceName } from '../../src/sessions/device-name.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Queues the mails about sign-ins from unknown browsers since the last time. */
    queueAlarms (closing?: AbortSignal): Promise<void>
  }
}

const INTERVAL = 1_000
const BATCH_SIZE = 500

function createQueueAlarms ({ database, mail, signInAlarms }: FastifyInstance) {
  /** Returns whether there may be more. */
  async function queueBatch (client: Queryable): Promise<boolean> {
    const alarms = await signInAlarms.take(client, BATCH_SIZE)
    await mail.queue(client, ...alarms.map(({ email, ip, userAgent, at }) =>
      ({ kind: 'new-sign-in' as const, email, ip, device: deviceName(userAgent), at: at.toISOString() })))
    return alarms.length === BATCH_SIZE
  }

  return async function queueAlarms (closing?: AbortSignal) {
    while (!closing?.aborted && await database.transact(queueBatch));
  }
}

export default fp(async function (app) {
  app.decorate('queueAlarms', createQueueAlarms(app))

  const { repeat } = createBackgroundWork(app, 'mails about new sign-ins are delayed')
  repeat(INTERVAL, app.queueAlarms)
}, { name: 'queue-alarms', dependencies: ['database', 'mail', 'sign-in-alarms'] })
