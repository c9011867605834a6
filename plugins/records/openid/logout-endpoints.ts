import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { checkUrl, rulesOf } from '../../../src/webhooks/address.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { logoutEndpoints: ReturnType<typeof createLogoutEndpoints> }
}

/** Where applications are told that a session has ended: webhooks that belong to them. */
function createLogoutEndpoints ({ config }: FastifyInstance) {
  return {
    /** Null removes it, with what waits to be sent. Throws RefusedAddress. */
    async set (client: Queryable, applicationId: string, url: string | null) {
      if (url === null) {
        await client.query('DELETE FROM webhooks WHERE application_id = $1', [applicationId])
        return
      }
      await client.query(`
        INSERT INTO webhooks (id, application_id, url, events, secret) VALUES ($1, $2, $3, '{}', '')
        ON CONFLICT (application_id) DO UPDATE SET url = excluded.url`,
      [randomUUID(), applicationId, checkUrl(url, rulesOf(config)).href])
    },
  }
}

export default fp(async function (app) {
  app.decorate('logoutEndpoints', createLogoutEndpoints(app))
}, { name: 'logout-endpoints' })
