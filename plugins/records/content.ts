import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { content: ReturnType<typeof createContent> }
}

interface Summary { slug: string, title: string, publishedAt: Date }
interface Article extends Summary { body: string }

/** The newest ones: the list has no pages. */
const MAX_ITEMS = 100

function createContent (app: FastifyInstance) {
  const { database } = app

  return {
    async list (): Promise<Summary[]> {
      const { rows } = await database.query<Summary>(`
        SELECT slug, title, published_at AS "publishedAt" FROM content
        WHERE published_at <= now() ORDER BY published_at DESC LIMIT ${MAX_ITEMS}`)
      return rows
    },

    async find (slug: string): Promise<Article | undefined> {
      const { rows } = await database.query<Article>(`
        SELECT slug, title, body, published_at AS "publishedAt" FROM content
        WHERE slug = $1 AND published_at <= now()`, [slug])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('content', createContent(app))
}, { name: 'content', dependencies: ['database'] })
