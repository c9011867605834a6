import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { OpenApiSchema } from '../../../../schemas/pages.ts'
import { sendAsset } from '../../../../src/site/assets.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { apiDocs } = app
  const schema = { ...OpenApiSchema, tags: ['Documentation'] }

  app.get('/openapi.json', { schema }, async function getOperatorApi (request, reply) {
    return sendAsset(apiDocs.json(), request, reply)
  })
}

export default routes
