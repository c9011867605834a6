import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LanguageSchema } from '../../../schemas/signed-in.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, authenticate, csrf } = app

  app.put('/language', {
    schema: LanguageSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect],
  }, async function setLanguage (request, reply) {
    await accounts.changeProfile(request.body, request)
    return reply.code(204).send()
  })
}

export default routes
