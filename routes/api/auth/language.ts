import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LanguageSchema } from '../../../schemas/signed-in.ts'
import { keepAccountLanguage } from '../../../src/site/language.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, authenticate, config, csrf } = app

  app.put('/language', {
    schema: LanguageSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect],
  }, async function setLanguage (request, reply) {
    const { language } = request.body
    await accounts.changeProfile({ language }, request)
    keepAccountLanguage(request, reply, language, config)
    return reply.code(204).send()
  })
}

export default routes
