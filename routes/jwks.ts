import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { KeySetSchema } from '../schemas/service-tokens.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { signingKeys } = app

  app.get('/.well-known/jwks.json', {
    schema: KeySetSchema,
    config: { quiet: true },
  }, async function getPublicKeys (_request, reply) {
    const keys = await signingKeys.published()
    reply.header('cache-control', 'public, max-age=600')
    // Single-page applications verify tokens, too. An origin of APP_ORIGINS has the header already.
    if (!reply.hasHeader('access-control-allow-origin')) reply.header('access-control-allow-origin', '*')
    return { keys }
  })
}

export default routes
