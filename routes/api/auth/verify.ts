import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { VerifySchema } from '../../../schemas/sessions.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  /** For front ends: nginx `auth_request`, Traefik, Caddy, Envoy. */
  app.get('/verify', { schema: VerifySchema, config: { quiet: true }, onRequest: app.authenticate }, function verify ({ user }, reply) {
    // A social username may hold letters that no header can.
    reply.headers({ 'x-auth-user-id': user.userId, 'x-auth-username': encodeURI(user.username) })
    reply.code(204).send()
  })
}

export default routes
