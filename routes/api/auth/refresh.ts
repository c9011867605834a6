import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { RefreshSchema } from '../../../schemas/sessions.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  app.post('/refresh', {
    schema: RefreshSchema,
    config: { limit: 'session' },
  }, async function refresh (request, reply) {
    return { user: await app.refresh(request, reply) }
  })
}

export default routes
