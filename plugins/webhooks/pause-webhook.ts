import fp from 'fastify-plugin'
import type { Webhook } from '../records/webhooks/webhooks-store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Pauses an endpoint that keeps failing and tells its owner: in the log, as an event, and by mail. */
    pauseWebhook (webhook: Webhook, reason: string): Promise<void>
  }
}

export default fp(async function (app) {
  const { database, events, log, mail, webhooksStore } = app

  app.decorate('pauseWebhook', async function pauseWebhook ({ id, url, notify }: Webhook, reason: string) {
    const paused = await database.transact(async client => {
      if (!await webhooksStore.pause(client, id, reason)) return false
      await events.recordOfService('webhook_paused', id, client)
      return true
    })
    if (!paused) return
    const { host } = new URL(url)
    log.warn({ webhook: id, host, reason }, 'a webhook was paused')
    if (notify) await mail.queue(database, { kind: 'webhook-paused', email: notify, webhook: id, host, reason })
  })
}, { name: 'pause-webhook', dependencies: ['database', 'events', 'mail', 'webhooks-store'] })
