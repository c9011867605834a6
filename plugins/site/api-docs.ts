import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { INFO, SECURITY_SCHEMES, TAGS } from '../../schemas/documentation.ts'
import { DocsFileSchema, DocsPageSchema } from '../../schemas/pages.ts'
import { docsPolicy } from '../../src/site/content-policy.ts'
import { createApiDocs, documentOptions } from '../../src/site/describe-routes.ts'
import { escapeHtml } from '../../src/site/html.ts'

declare module 'fastify' {
  interface FastifyInstance { apiDocs: ReturnType<typeof createApiDocs> }
}

const isPage = (path: string | undefined) => path === '/docs' || path === '/docs/'

/** Swagger UI at /docs, in a context of its own: its routes come without response schemas. */
async function servePage (app: FastifyInstance) {
  // Loaded here: in the build, commands load this file, too.
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const policy = `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(docsPolicy())}">`
  const contentOf = (name: string) => String(app.pages.asset(name)?.body)

  await app.register(async function docs (scope) {
    scope.addHook('onRoute', function describe (route) {
      route.schema = isPage(route.url) ? DocsPageSchema : DocsFileSchema
    })
    scope.addHook('onSend', async function addPolicy ({ routeOptions }, _reply, html) {
      return isPage(routeOptions.url) && typeof html === 'string' ? html.replace('<head>', `<head>${policy}`) : html
    })
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'list',
        defaultModelsExpandDepth: 0,
        displayRequestDuration: true,
        tryItOutEnabled: true,
      },
      theme: {
        title: `API · ${escapeHtml(app.config.BRAND_NAME)}`,
        css: [{ filename: 'docs.css', content: contentOf('docs/docs.css') }],
        js: [{ filename: 'docs.js', content: contentOf('docs/docs.js') }],
        favicon: [{
          filename: 'icon.svg',
          rel: 'icon',
          type: 'image/svg+xml',
          sizes: 'any',
          content: contentOf('icon.svg'),
        }],
      },
    })
  })
}

export default fp(async function (app) {
  await app.register(swagger, await documentOptions({ info: INFO, tags: TAGS, securitySchemes: SECURITY_SCHEMES }))
  await servePage(app)
  app.decorate('apiDocs', createApiDocs(app))
}, { name: 'api-docs', dependencies: ['pages'] })
