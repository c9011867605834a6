import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VerifySchema } from '../../../schemas/sessions.ts'
import { Unauthorized } from '../../../src/errors.ts'
import { signInAddress } from '../../../src/http/page-visit.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  /** nginx takes no redirect for an answer and makes its own from `Location`; other front ends hand on what they get. */
  function showTheWay (refusal: Error, request: FastifyRequest, reply: FastifyReply) {
    const address = refusal instanceof Unauthorized && signInAddress(request.headers)
    if (!address) throw refusal
    const { 'signed-out': wish } = request.query as { 'signed-out'?: unknown }
    // Traefik would take a path for one of the host that it asked.
    if (wish === 'redirect') return reply.redirect(new URL(address, app.config.PUBLIC_URL).href)
    reply.header('location', address)
    throw refusal
  }

  /** For front ends: nginx `auth_request`, Traefik, Caddy, Envoy. */
  app.get('/verify', { schema: VerifySchema, config: { quiet: true }, onRequest: app.authenticate, errorHandler: showTheWay }, function verify ({ user }, reply) {
    // A social username may hold letters that no header can.
    reply.headers({ 'x-auth-user-id': user.userId, 'x-auth-username': encodeURI(user.username) })
    reply.code(204).send()
  })
}

export default routes
