import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Unavailable } from '../../src/errors.ts'
import { createTotpKey, stepOf } from '../../src/factors/totp.ts'
import { createEncryption } from '../../src/secrets/encryption.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { totp: ReturnType<typeof createTotp> }
}

/** Codes of authenticator apps. `now` is the clock, in milliseconds. */
function createTotp ({ config, totpStore: store }: FastifyInstance) {
  const encryption = createEncryption('totp', config)

  /** The key as text. If the previous secret encrypted it, it is encrypted again with the present one. */
  async function open (userId: string, encrypted: string): Promise<string> {
    const opened = await encryption.decrypt(encrypted, userId)
    if (!opened) throw new Unavailable(new Error('no secret opens a TOTP key: was JWT_SECRET replaced?'))
    if (opened.isOutdated) {
      await store.replaceEncrypted(userId, encrypted, await encryption.encrypt(opened.text, userId))
    }
    return opened.text
  }

  return {
    /** A new key, which counts once it is confirmed. Undefined if there is a confirmed one. */
    async begin ({ id, username }: { id: string, username: string }) {
      const key = createTotpKey(config.BRAND_NAME, username)
      return await store.begin(id, await encryption.encrypt(key.secret, id)) ? key : undefined
    },

    /** Confirms the new key. Returns false if the code does not belong to it. */
    async confirm (client: Queryable, userId: string, code: string, now = Date.now()): Promise<boolean> {
      const stored = await store.find(userId, client)
      if (!stored || stored.confirmed) return false
      const opened = await encryption.decrypt(stored.encrypted, userId)
      const step = opened && stepOf(opened.text, code, now)
      return step !== undefined && await store.confirm(client, userId, stored.encrypted, step)
    },

    /** Whether the code is valid now and was not accepted before. */
    async accept (userId: string, code: string, now = Date.now()): Promise<boolean> {
      const stored = await store.find(userId)
      if (!stored?.confirmed) return false
      const step = stepOf(await open(userId, stored.encrypted), code, now)
      return step !== undefined && await store.accept(userId, step)
    },
  }
}

export default fp(async function (app) {
  app.decorate('totp', createTotp(app))
}, { name: 'totp', dependencies: ['totp-store'] })
