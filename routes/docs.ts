import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { OpenApiSchema } from '../schemas/pages.ts'
import { sendAsset } from '../src/site/assets.ts'

/** The page itself, GET /docs, comes from plugins/site/api-docs.ts. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { apiDocs } = app

  app.get('/openapi.json', { schema: OpenApiSchema }, async function getOpenApi (request, reply) {
    return sendAsset(apiDocs.json(), request, reply)
  })
}

export default routes
