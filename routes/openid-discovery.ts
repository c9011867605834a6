import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendResponse } from '../src/openid/send-response.ts'

/** How applications find the provider: OpenID Connect Discovery 1.0 and RFC 8414. */
export default async function (app: FastifyInstance) {
  if (app.config.OPENID === 'off') return

  async function discover (request: FastifyRequest, reply: FastifyReply) {
    const visit = await app.openid.visit(request, reply, undefined, await app.openid.latest())
    reply.header('cache-control', 'public, max-age=600')
    return sendResponse(visit, request, reply)
  }

  for (const url of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    app.route({ url, method: ['GET', 'OPTIONS'], schema: { hide: true }, config: { quiet: true }, handler: discover })
  }
}
