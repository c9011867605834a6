import swagger from '@fastify/swagger'
import fp from 'fastify-plugin'
import { OPERATOR_INFO, OPERATOR_SECURITY_SCHEMES, OPERATOR_TAGS } from '../../schemas/operator/documentation.ts'
import { createApiDocs, documentOptions } from '../../src/site/describe-routes.ts'

export default fp(async function (app) {
  await app.register(swagger, await documentOptions({
    info: OPERATOR_INFO,
    tags: OPERATOR_TAGS,
    securitySchemes: OPERATOR_SECURITY_SCHEMES,
  }))
  app.decorate('apiDocs', createApiDocs(app))
}, { name: 'operator-api-docs' })
