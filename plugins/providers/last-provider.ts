import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Provider } from '../../src/providers/providers.ts'

declare module 'fastify' {
  interface FastifyInstance { lastProvider: ReturnType<typeof createLastProvider> }
}

const COOKIE = 'gatehouse_provider'
/** In seconds: a year. */
const MAX_AGE = 31_536_000

/** The provider that was last used in this browser. Only the cookie knows it, and it names no account. */
function createLastProvider ({ config }: FastifyInstance) {
  const secure = config.NODE_ENV === 'production'
  // Lax: pages to sign in are also opened from other sites.
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: MAX_AGE } as const

  return {
    /** The path of the provider, as the browser says: it may be any text. */
    of: ({ cookies }: FastifyRequest): string | undefined => cookies[COOKIE],

    remember ({ path }: Provider, reply: FastifyReply) {
      reply.setCookie(COOKIE, path, attributes)
    },
  }
}

export default fp(async function (app) {
  app.decorate('lastProvider', createLastProvider(app))
}, { name: 'last-provider', dependencies: ['cookies'] })
