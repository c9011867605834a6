import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AlertMessage } from './mail-composer.ts'

declare module 'fastify' {
  interface FastifyInstance { alertSummaries: ReturnType<typeof createAlertSummaries> }
}

/** Tells the owners of accounts about the alerts that were held back. */
function createAlertSummaries ({ database, jobs, mail, mailAlerts }: FastifyInstance) {
  /** Every few minutes, in one instance at a time. A summary is queued in the transaction that ends its hour. */
  async function run () {
    await database.transact(async client => {
      for (const { userId, message, ...more } of await mailAlerts.endHours(client)) {
        await mail.queue(client, { ...message as AlertMessage, userId, more })
      }
    })
  }

  jobs.handle('alert-summaries', run)
  return { run }
}

export default fp(async function (app) {
  app.decorate('alertSummaries', createAlertSummaries(app))
}, { name: 'alert-summaries', dependencies: ['database', 'jobs', 'mail', 'mail-alerts'] })
