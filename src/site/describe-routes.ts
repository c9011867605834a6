import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { assetOf, type Asset } from './assets.ts'
import { nameSchemas, operationsOf, type OpenApi } from './openapi.ts'

type Document = Extract<NonNullable<FastifyDynamicSwaggerOptions['openapi']>, { jsonSchemaDialect?: string }>

interface Parts {
  info: object
  tags: Array<{ name: string, description: string }>
  securitySchemes: object
}

function complete (given: object): OpenApi {
  const document = nameSchemas(given as OpenApi)
  for (const { responses } of operationsOf(document)) {
    const headers = Object.values(responses).flatMap(({ headers = {} }) => Object.values(headers))
    for (const header of headers) header.required = true
  }
  return document
}

/** Options of @fastify/swagger for a document of all routes with a tag. */
export async function documentOptions ({ info, tags, securitySchemes }: Parts): Promise<FastifyDynamicSwaggerOptions> {
  const { version } = JSON.parse(await readFile(findPackageJSON(import.meta.url) as string, 'utf8'))
  return {
    openapi: {
      openapi: '3.1.0',
      info: { ...info, version } as Document['info'],
      // Relative, so that the document is the same for every installation.
      servers: [{ url: '/' }],
      tags,
      components: { securitySchemes } as Document['components'],
    },
    // The routes of the embedded stack are not part of the service.
    hideUntagged: true,
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({
      // Fastify serves the page at /docs and at /docs/, and reports the second.
      url: url === '/docs/' ? '/docs' : url,
      schema: { operationId: route.handler.name, ...schema },
    }),
    transformObject: document => complete('openapiObject' in document ? document.openapiObject : {}),
  }
}

/** The document of an instance, for the route that sends it. */
export function createApiDocs (app: FastifyInstance) {
  let json: Asset | undefined
  return {
    /** Written when it is first requested, because every route has been declared by then. */
    json (): Asset {
      json ??= assetOf('application/json; charset=utf-8', `${JSON.stringify(app.swagger(), null, 2)}\n`)
      return json
    },
  }
}
