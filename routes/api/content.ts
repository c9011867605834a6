import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ListContentSchema, ReadContentSchema } from '../../schemas/content.ts'
import { NotFound } from '../../src/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, content } = app
  const guarded = { config: { limit: 'general' as const }, onRequest: authenticate }

  app.get('/content', { schema: ListContentSchema, ...guarded }, async function listContent () {
    const summaries = await content.list()
    return { content: summaries.map(summary => ({ ...summary, publishedAt: summary.publishedAt.toISOString() })) }
  })

  app.get('/content/:slug', { schema: ReadContentSchema, ...guarded }, async function readContent ({ params }) {
    const article = await content.find(params.slug)
    if (!article) throw new NotFound()
    return { ...article, publishedAt: article.publishedAt.toISOString() }
  })
}

export default routes
