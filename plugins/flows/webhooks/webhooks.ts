import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../../src/errors.ts'
import { createSealing } from '../../../src/tokens/sealing.ts'
import { checkUrl, RefusedAddress } from '../../../src/webhooks/address.ts'
import { MESSAGE_TYPES } from '../../../src/webhooks/messages.ts'
import type { Webhook } from '../../records/trail/webhooks-store.ts'

declare module 'fastify' {
  interface FastifyInstance { webhooks: ReturnType<typeof createWebhooks> }
}

interface Wanted { url: string, events: string[], notify?: string }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MAX_LISTED = 100

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const isType = (name: string): name is Webhook['events'][number] => ['*', ...MESSAGE_TYPES].includes(name)

/** Endpoints of other systems that are told what happened, for the command line and the API of operators. */
function createWebhooks ({ config, deliveries, webhooksStore: store }: FastifyInstance) {
  const sealing = createSealing('webhook', config)

  function checkedUrl (url: string): string {
    try {
      return checkUrl(url, { production: config.NODE_ENV === 'production' }).href
    } catch (error) {
      throw error instanceof RefusedAddress ? new HttpError(400, error.message) : error
    }
  }

  function checkedTypes (names: string[]) {
    const unknown = names.filter(name => !isType(name))
    if (names.length === 0 || unknown.length > 0) {
      throw new HttpError(400, `Unknown or missing events. Events: ${MESSAGE_TYPES.join(', ')}, or * for all.`)
    }
    return [...new Set(names.filter(isType))]
  }

  return {
    list: store.list,

    /** Returns the secret, which is never shown again. */
    async add ({ url, events, notify }: Wanted): Promise<{ id: string, secret: string }> {
      const [id, secret] = [randomUUID(), newSecret()]
      const checked = { url: checkedUrl(url), events: checkedTypes(events), notify: notify ?? null }
      await store.add({ id, ...checked, secret: await sealing.seal(secret, id) })
      return { id, secret }
    },

    remove: async (id: string) => UUID.test(id) && await store.remove(id),

    /** A new secret, or undefined if there is no such endpoint. Both sign for a day. */
    async rotate (id: string): Promise<string | undefined> {
      const secret = newSecret()
      return UUID.test(id) && await store.rotate(id, await sealing.seal(secret, id)) ? secret : undefined
    },

    pause: async (id: string) => UUID.test(id) && await store.pause(id, 'paused by an operator'),

    resume: async (id: string) => UUID.test(id) && await store.resume(id),

    /** The newest deliveries of an endpoint. */
    deliveries: async (id: string) => UUID.test(id) ? deliveries.list(id, MAX_LISTED) : [],

    resend: async (id: string) => /^\d{1,18}$/.test(id) && await deliveries.resend(id),

    /** The secrets that sign now, the current one first. Those of the previous JWT_SECRET are sealed anew. */
    async openSecrets (id: string): Promise<string[]> {
      const sealed = await store.secretsOf(id)
      const current = sealed && await sealing.open(sealed.current, id)
      if (!current) throw new Error('JWT_SECRET does not open the secret of this endpoint. Rotate it.')
      if (current.isOutdated) await store.reseal(id, sealed.current, await sealing.seal(current.text, id))
      const previous = sealed.previous ? await sealing.open(sealed.previous, id) : undefined
      return [current.text, ...previous ? [previous.text] : []]
    },
  }
}

export default fp(async function (app) {
  app.decorate('webhooks', createWebhooks(app))
}, { name: 'webhooks', dependencies: ['deliveries', 'webhooks-store'] })
