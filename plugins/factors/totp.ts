import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Unavailable } from '../../src/errors.ts'
import { createTotpKey, stepOf } from '../../src/factors/totp.ts'
import { createSealing } from '../../src/secrets/encryption.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { totp: ReturnType<typeof createTotp> }
}

/** Codes of authenticator apps. `now` is the clock, in milliseconds. */
function createTotp ({ config, totpStore: store }: FastifyInstance) {
  const sealing = createSealing('totp', config)

  /** The key as text. One that the previous secret sealed is sealed anew. */
  async function open (userId: string, sealed: string): Promise<string> {
    const opened = await sealing.open(sealed, userId)
    if (!opened) throw new Unavailable(new Error('no secret opens a TOTP key: was JWT_SECRET replaced?'))
    if (opened.isOutdated) await store.reseal(userId, sealed, await sealing.seal(opened.text, userId))
    return opened.text
  }

  return {
    /** A new key, which counts once it is confirmed. Undefined if there is a confirmed one. */
    async begin ({ id, username }: { id: string, username: string }) {
      const key = createTotpKey(config.BRAND_NAME, username)
      return await store.begin(id, await sealing.seal(key.secret, id)) ? key : undefined
    },

    /** Whether the code belongs to the key that waits for its confirmation, which it then is. */
    async confirm (client: Queryable, userId: string, code: string, now = Date.now()): Promise<boolean> {
      const stored = await store.find(userId, client)
      if (!stored || stored.confirmed) return false
      const opened = await sealing.open(stored.sealed, userId)
      const step = opened && stepOf(opened.text, code, now)
      return step !== undefined && await store.confirm(client, userId, stored.sealed, step)
    },

    /** Whether the code is valid now and was not accepted before. */
    async accept (userId: string, code: string, now = Date.now()): Promise<boolean> {
      const stored = await store.find(userId)
      if (!stored?.confirmed) return false
      const step = stepOf(await open(userId, stored.sealed), code, now)
      return step !== undefined && await store.accept(userId, step)
    },
  }
}

export default fp(async function (app) {
  app.decorate('totp', createTotp(app))
}, { name: 'totp', dependencies: ['totp-store'] })
