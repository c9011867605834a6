import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { OPERATOR_INFO, OPERATOR_SECURITY_SCHEMES, OPERATOR_TAGS } from '../../schemas/operator/documentation.ts'
import { assetOf, type Asset } from '../../src/pages/assets.ts'
import { documentOptions } from '../../src/pages/describe-routes.ts'

function createApiDocs (app: FastifyInstance) {
  let json: Asset | undefined
  return {
    /** Written when it is first requested, because every route has been declared by then. */
    json (): Asset {
      json ??= assetOf('application/json; charset=utf-8', `${JSON.stringify(app.swagger(), null, 2)}\n`)
      return json
    },
  }
}

export default fp(async function (app) {
  await app.register(swagger, await documentOptions({
    info: OPERATOR_INFO,
    tags: OPERATOR_TAGS,
    securitySchemes: OPERATOR_SECURITY_SCHEMES,
  }))
  app.decorate('apiDocs', createApiDocs(app))
}, { name: 'operator-api-docs' })
