import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { leaveBody } from '../../src/openid/bodies.ts'
import { sendResponse } from '../../src/openid/send-response.ts'

/** Called by applications, and by their pages on other origins. Programs have no cookies here. */
const ENDPOINTS = {
  '/token': ['POST', 'OPTIONS'],
  '/introspect': ['POST', 'OPTIONS'],
  '/revoke': ['POST', 'OPTIONS'],
  '/par': ['POST', 'OPTIONS'],
  '/device/auth': ['POST', 'OPTIONS'],
  '/userinfo': ['GET', 'POST', 'OPTIONS'],
}

/** What applications ask for: tokens, the user, and what a token is worth. */
export default async function (app: FastifyInstance) {
  if (app.config.OPENID === 'off') return
  const { applicationUse, endpointLimits, openid } = app
  leaveBody(app)

  async function ask (request: FastifyRequest, reply: FastifyReply) {
    const visit = await openid.visit(request, reply)
    await endpointLimits.takeWrongClient(visit)
    await applicationUse.note(visit)
    return sendResponse(visit, request, reply)
  }

  for (const [url, method] of Object.entries(ENDPOINTS)) {
    app.route({
      url,
      method,
      schema: { hide: true },
      config: { limit: 'applications', isForOtherSites: true },
      handler: ask,
    })
  }
}
