import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { NotFound } from '../../src/errors.ts'
import { applicationHost, hostsOf } from '../../src/openid/application-host.ts'
import { describeScopes } from '../../src/openid/scopes.ts'

declare module 'fastify' {
  interface FastifyInstance { ownApplications: ReturnType<typeof createOwnApplications> }
}

/** The applications that are connected to one's own account. */
function createOwnApplications ({ config, connectedApplications, database, events }: FastifyInstance) {
  return {
    async list (userId: string) {
      const connected = await connectedApplications.list(userId)
      return connected.map(({ documentUrl, redirectUris, scopes, connectedAt, lastUsedAt, ...application }) => ({
        ...application,
        ...describeScopes(scopes, config.resources),
        host: application.unverified ? hostsOf({ documentUrl, redirectUris }) : applicationHost(redirectUris[0]),
        connectedAt: connectedAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }))
    },

    async disconnect (request: FastifyRequest, applicationId: string) {
      const { userId } = request.user
      await database.transact(async client => {
        if (!await connectedApplications.disconnect(client, userId, applicationId)) throw new NotFound()
        await events.record('application_disconnected', request, userId, client, applicationId)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('ownApplications', createOwnApplications(app))
}, { name: 'own-applications', dependencies: ['connected-applications', 'database', 'events'] })
