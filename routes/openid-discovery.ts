import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendResponse } from '../src/openid/send-response.ts'

/** How applications find the provider: OpenID Connect Discovery 1.0 and RFC 8414. */
export default async function (app: FastifyInstance) {
  if (app.config.OPENID === 'off') return

  // The package takes its own list for that of OpenID Connect alone.
  const openScopes = app.config.resources.filter(({ open }) => open === 'on')
    .flatMap(({ scopes }) => scopes.map(({ name }) => name))

  async function discover (request: FastifyRequest, reply: FastifyReply) {
    const visit = await app.openid.visit(request, reply, undefined, await app.openid.latest())
    const { scopes_supported: scopes } = (visit.ctx?.body ?? {}) as { scopes_supported?: string[] }
    scopes?.push(...new Set(openScopes))
    reply.header('cache-control', 'public, max-age=600')
    return sendResponse(visit, request, reply)
  }

  for (const url of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    app.route({ url, method: ['GET', 'OPTIONS'], schema: { hide: true }, config: { quiet: true }, handler: discover })
  }
}
