import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ConnectProviderSchema, DisconnectProviderSchema } from '../../../schemas/providers.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, csrf, ownProviders, requireFresh } = app
  const guarded = {
    config: { limit: 'general' as const },
    onRequest: [authenticate, csrf.protect, requireFresh],
  }

  app.post('/providers/:name/connect', {
    schema: ConnectProviderSchema,
    ...guarded,
  }, async function connectProvider (request, reply) {
    return { location: await ownProviders.begin(request.params.name, request, reply) }
  })

  app.delete('/providers/:name', {
    schema: DisconnectProviderSchema,
    ...guarded,
  }, async function disconnectProvider (request, reply) {
    await ownProviders.disconnect(request.params.name, request)
    return reply.code(204).send()
  })
}

export default routes
