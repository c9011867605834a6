import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DocsPageSchema, OpenApiSchema } from '../schemas/pages.ts'
import { sendAsset } from '../src/pages/assets.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { apiDocs } = app

  app.get('/docs', { schema: DocsPageSchema }, async function readDocs (request, reply) {
    return sendAsset(apiDocs.page(), request, reply)
  })

  app.get('/openapi.json', { schema: OpenApiSchema }, async function getOpenApi (request, reply) {
    return sendAsset(apiDocs.json(), request, reply)
  })
}

export default routes
