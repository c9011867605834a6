import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AssetSchema } from '../../schemas/pages.ts'
import { OperatorPageSchema } from '../../schemas/operator/pages.ts'
import { NotFound } from '../../src/errors.ts'
import { OPERATOR_PAGES, type OperatorPageName } from '../../src/operators/pages.ts'
import { sendAsset } from '../../src/site/assets.ts'

/** A browser keeps a page for the way back, which shows nothing before its session is checked again. */
const CACHING = { cacheControl: 'private, no-cache' }

/** The pages of operators, and their scripts and styles. They contain nothing private. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { operatorPages } = app

  for (const name of Object.keys(OPERATOR_PAGES) as OperatorPageName[]) {
    app.get(OPERATOR_PAGES[name].path, { schema: OperatorPageSchema }, async function getOperatorPage (request, reply) {
      return sendAsset(operatorPages.html(name), request, reply, CACHING)
    })
  }

  app.get('/assets/*', { schema: AssetSchema }, async function getOperatorAsset (request, reply) {
    const asset = operatorPages.asset(request.params['*'])
    if (!asset) throw new NotFound()
    return sendAsset(asset, request, reply, asset)
  })
}

export default routes
