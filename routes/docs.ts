import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sendAsset } from '../plugins/pages.ts'
import { DocsPageSchema, OpenApiSchema } from '../schemas/pages.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { docs } = app

  app.get('/docs', { schema: DocsPageSchema }, async function readDocs (request, reply) {
    return sendAsset(docs.page(), request, reply)
  })

  app.get('/openapi.json', { schema: OpenApiSchema }, async function getOpenApi (request, reply) {
    return sendAsset(docs.json(), request, reply)
  })
}

export default routes
