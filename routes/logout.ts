import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LogoutSchema } from '../schemas/sessions.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  app.post('/logout', { schema: LogoutSchema }, async function logout (request, reply) {
    await app.sessions.close(request, reply)
    return reply.code(204).send()
  })
}

export default routes
