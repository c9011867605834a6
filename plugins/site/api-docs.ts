import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { INFO, SECURITY_SCHEMES, TAGS } from '../../schemas/documentation.ts'
import { renderApiPage } from '../../src/pages/api-page.ts'
import { nameSchemas, operationsOf, type OpenApi } from '../../src/pages/openapi.ts'
import { assetOf } from '../../src/pages/assets.ts'

declare module 'fastify' {
  interface FastifyInstance { apiDocs: ReturnType<typeof createApiDocs> }
}

function createApiDocs (app: FastifyInstance) {
  const document = () => app.swagger() as unknown as OpenApi

  return {
    json: onceAsked(() => assetOf('application/json; charset=utf-8', `${JSON.stringify(document(), null, 2)}\n`)),
    page: onceAsked(() => assetOf('text/html; charset=utf-8', app.pages.docs(renderApiPage(document())))),
  }
}

/** Made when first asked for: every route has been declared by then. */
function onceAsked<T> (make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function complete (given: object): OpenApi {
  const document = nameSchemas(given as OpenApi)
  for (const { responses } of operationsOf(document)) {
    for (const header of Object.values(responses).flatMap(({ headers = {} }) => Object.values(headers))) header.required = true
  }
  return document
}

export default fp(async function (app) {
  const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url) as string, 'utf8'))
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...INFO, version },
      // Wherever the document was found: it is the same for every installation.
      servers: [{ url: '/' }],
      tags: TAGS,
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    // What the embedded stack adds is no part of the service.
    hideUntagged: true,
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({ url, schema: { operationId: route.handler.name, ...schema } }),
    transformObject: document => complete('openapiObject' in document ? document.openapiObject : {}),
  })
  app.decorate('apiDocs', createApiDocs(app))
}, { name: 'api-docs', dependencies: ['pages'] })
