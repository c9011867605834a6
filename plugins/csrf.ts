import { createHmac } from 'node:crypto'
import csrfProtection from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { strictCookie } from './cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { csrf: ReturnType<typeof createCsrf> }
}

function createCsrf (app: FastifyInstance) {
  return {
    /** For `onRequest`, after `authenticate`: goes on with the token of the user who is signed in, or 403. */
    protect: app.csrfProtection,

    issue (request: FastifyRequest, reply: FastifyReply): string {
      return reply.generateCsrf({ userInfo: request.user.userId })
    },
  }
}

export default fp(async function (app) {
  await app.register(csrfProtection, {
    cookieKey: '_csrf',
    cookieOpts: { ...strictCookie(app.config.NODE_ENV === 'production'), signed: true },
    csrfOpts: { userInfo: true, hmacKey: createHmac('sha256', app.config.JWT_SECRET).update('csrf').digest() },
    getUserInfo: request => request.user.userId,
    // The header alone: no form of another site can set it, and the body has not been read yet.
    getToken: ({ headers }) => headers['x-csrf-token'] as string | undefined,
  })
  app.decorate('csrf', createCsrf(app))
}, { name: 'csrf', dependencies: ['cookies', 'tokens'] })
