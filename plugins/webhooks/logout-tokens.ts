import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Delivery } from '../records/webhooks/deliveries.ts'

declare module 'fastify' {
  interface FastifyInstance { logoutTokens: ReturnType<typeof createLogoutTokens> }
}

/** In seconds. A repeated message has a new token. */
const LIFETIME = 2 * 60
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Tell an application that a session has ended: OpenID Connect Back-Channel Logout 1.0, section 2.4. */
function createLogoutTokens ({ config, signingKeys }: FastifyInstance) {
  const iss = new URL(config.PUBLIC_URL).origin

  return {
    /** `clientId` is the id of the application. */
    async create (clientId: string, { accountId, data: { sid } }: Delivery): Promise<string> {
      const iat = Math.floor(Date.now() / 1_000)
      const claims = { iss, aud: clientId, iat, exp: iat + LIFETIME, jti: randomUUID(), events: { [EVENT]: {} } }
      const { token } = await signingKeys.signForClients({ ...claims, sub: accountId as string, sid }, 'logout+jwt')
      return token
    },
  }
}

export default fp(async function (app) {
  app.decorate('logoutTokens', createLogoutTokens(app))
}, { name: 'logout-tokens', dependencies: ['signing-keys'] })
