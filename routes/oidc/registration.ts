import type { FastifyInstance } from 'fastify'
import { leaveBody } from '../../src/openid/bodies.ts'
import { sendResponse } from '../../src/openid/send-response.ts'

/** Applications register themselves: RFC 7591. Pages of other origins can do so, too: there are no cookies here. */
export default async function (app: FastifyInstance) {
  if (app.config.OPENID_REGISTRATION !== 'open') return
  const { openid } = app

  leaveBody(app)
  app.addHook('onRequest', async function allowOrigins (_request, reply) {
    reply.header('access-control-allow-origin', '*')
  })

  app.post('/register', {
    schema: { hide: true },
    config: { limit: 'registrations', isForOtherSites: true },
  }, async function register (request, reply) {
    return sendResponse(await openid.visit(request, reply), request, reply)
  })

  app.options('/register', { schema: { hide: true } }, async function preflight (_request, reply) {
    return reply.code(204).headers({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '3600',
    }).send()
  })
}
