import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isUuid } from '../../src/database/uuid.ts'
import { COMMAND_LINE } from '../../src/operators/actors.ts'
import { createEncryption } from '../../src/secrets/encryption.ts'
import { EndpointOfApplication } from '../../src/operators/errors.ts'
import { checkUrl, rulesOf } from '../../src/webhooks/address.ts'
import { checkTypes } from '../../src/webhooks/messages.ts'
import type { EventKind } from '../records/audit/events.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { Webhook, WebhookChange } from '../records/webhooks/webhooks-store.ts'

declare module 'fastify' {
  interface FastifyInstance { webhooks: ReturnType<typeof createWebhooks> }
}

type Change = (client: Queryable) => Promise<boolean>
interface Wanted { url: string, events: string[], notify?: string | null }

const MAX_LISTED = 100

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** Endpoints of other systems that are told what happened, for the command line and the API of operators. */
function createWebhooks (app: FastifyInstance) {
  const { config, database, deliveries, deliveryList, events, log, mail, webhooksStore: store } = app
  const encryption = createEncryption('webhook', config)
  const rules = rulesOf(config)

  /** Changes an endpoint and records it, in one transaction. Returns false if `change` does. */
  async function recorded (what: EventKind, id: string, by: string | undefined, change: Change) {
    if (!isUuid(id)) return false
    return database.transact(async client => {
      const changed = await change(client)
      if (changed) await events.recordOfService(what, id, client, by)
      return changed
    })
  }

  const find = async (id: string) => isUuid(id) ? store.find(id) : undefined

  async function refuseOfApplication (id: string) {
    const webhook = await find(id)
    if (webhook?.application) throw new EndpointOfApplication(webhook.application.name)
  }

  return {
    list: store.list,
    find,

    /** Returns the secret, which is never shown again. */
    async add ({ url, events, notify }: Wanted, by = COMMAND_LINE): Promise<{ id: string, secret: string }> {
      const [id, secret] = [randomUUID(), newSecret()]
      const checked = { url: checkUrl(url, rules).href, events: checkTypes(events), notify: notify ?? null }
      const encrypted = await encryption.encrypt(secret, id)
      await recorded('webhook_added', id, by, async client => {
        await store.add(client, { id, ...checked, secret: encrypted })
        return true
      })
      return { id, secret }
    },

    /**
     * What waits is sent to the new URL. Returns false if there is no such endpoint. Of that of an application, only
     * `notify` can change.
     */
    async change (id: string, { url, events, notify }: Partial<Wanted>, by = COMMAND_LINE): Promise<boolean> {
      if (url !== undefined || events) await refuseOfApplication(id)
      const change: WebhookChange = {
        url: url === undefined ? undefined : checkUrl(url, rules).href,
        events: events && checkTypes(events),
        notify,
      }
      return recorded('webhook_changed', id, by, client => store.change(client, id, change))
    },

    async remove (id: string, by = COMMAND_LINE): Promise<boolean> {
      await refuseOfApplication(id)
      return recorded('webhook_removed', id, by, client => store.remove(client, id))
    },

    /** A new secret, or undefined if there is no such endpoint. Both sign for a day. */
    async rotate (id: string, by = COMMAND_LINE): Promise<string | undefined> {
      await refuseOfApplication(id)
      const secret = newSecret()
      const encrypted = await encryption.encrypt(secret, id)
      const rotated = await recorded('webhook_rotated', id, by, client => store.rotate(client, id, encrypted))
      return rotated ? secret : undefined
    },

    /** Returns false if there is no such endpoint, or it was paused before. */
    pause: (id: string, by = COMMAND_LINE) =>
      recorded('webhook_paused', id, by, client => store.pause(client, id, 'paused by an operator')),

    /** Pauses an endpoint that keeps failing and tells its owner: in the log, as an event, and by mail. */
    async pauseFailing ({ id, url, notify }: Webhook, reason: string) {
      if (!await recorded('webhook_paused', id, undefined, client => store.pause(client, id, reason))) return
      const { host } = new URL(url)
      log.warn({ webhook: id, host, reason }, 'a webhook was paused')
      if (notify) await mail.queue(database, { kind: 'webhook-paused', email: notify, webhook: id, host, reason })
    },

    /** Returns false if there is no such endpoint, or it was not paused. */
    resume: (id: string, by = COMMAND_LINE) =>
      recorded('webhook_resumed', id, by, client => store.resume(client, id)),

    /** The newest messages to an endpoint. */
    deliveries: async (id: string) =>
      isUuid(id) ? (await deliveryList.page(id, { limit: MAX_LISTED })).deliveries : [],

    /** Sends a message again. Returns false if there is no such delivery, or it has not ended. */
    async resend (delivery: string, by = COMMAND_LINE): Promise<boolean> {
      const found = /^\d{1,18}$/.test(delivery) ? await deliveryList.find(delivery) : undefined
      if (!found) return false
      return recorded('webhook_resent', found.webhookId, by, client => deliveries.resend(client, delivery))
    },

    /** The secrets that sign now, the current one first. Those of the previous JWT_SECRET are encrypted anew. */
    async openSecrets (id: string): Promise<string[]> {
      const encrypted = await store.secretsOf(id)
      const current = encrypted && await encryption.decrypt(encrypted.current, id)
      if (!current) throw new Error('JWT_SECRET does not open the secret of this endpoint. Rotate it.')
      if (current.isOutdated) {
        await store.replaceEncrypted(id, encrypted.current, await encryption.encrypt(current.text, id))
      }
      const previous = encrypted.previous ? await encryption.decrypt(encrypted.previous, id) : undefined
      return [current.text, ...previous ? [previous.text] : []]
    },
  }
}

export default fp(async function (app) {
  app.decorate('webhooks', createWebhooks(app))
}, { name: 'webhooks', dependencies: ['database', 'deliveries', 'delivery-list', 'events', 'mail', 'webhooks-store'] })
