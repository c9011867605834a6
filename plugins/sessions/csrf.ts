import { Tokens } from '@fastify/csrf'
import csrfProtection from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { strictCookie } from './cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { csrf: ReturnType<typeof createCsrf> }
}

const COOKIE = '_csrf'

/** The header alone: a form of another site cannot set it, and the body has not been read yet. */
const tokenOf = ({ headers }: FastifyRequest) => headers['x-csrf-token'] as string | undefined
const secretOf = (request: FastifyRequest) => request.unsignCookie(request.cookies[COOKIE] ?? '')
const cookieOptions = ({ config }: FastifyInstance) =>
  ({ ...strictCookie(config.NODE_ENV === 'production'), signed: true })

function createCsrf (app: FastifyInstance, previousKey?: string) {
  const previous = previousKey ? new Tokens({ userInfo: true, hmacKey: previousKey }) : undefined

  function isOfPreviousKey (request: FastifyRequest): boolean {
    const secret = secretOf(request).value
    const token = tokenOf(request)
    return Boolean(secret && token && previous?.verify(secret, token, request.user.userId))
  }

  /** The plugin does not renew a cookie that the previous key signed. It would become invalid with that key. */
  function renewCookie (request: FastifyRequest, reply: FastifyReply) {
    const { renew, value } = secretOf(request)
    if (renew && value) reply.setCookie(COOKIE, value, cookieOptions(app))
  }

  return {
    /** For `onRequest`, after `authenticate`: 403 without a token of the signed-in user. */
    protect (request: FastifyRequest, reply: FastifyReply, done: () => void) {
      if (isOfPreviousKey(request)) done()
      else app.csrfProtection(request, reply, done)
    },

    issue (request: FastifyRequest, reply: FastifyReply): string {
      renewCookie(request, reply)
      return reply.generateCsrf({ userInfo: request.user.userId })
    },
  }
}

export default fp(async function (app) {
  const [hmacKey, previousKey] = keysFor('csrf', app.config) as [string, string?]
  await app.register(csrfProtection, {
    cookieKey: COOKIE,
    cookieOpts: cookieOptions(app),
    csrfOpts: { userInfo: true, hmacKey },
    getUserInfo: request => request.user.userId,
    getToken: tokenOf,
  })
  app.decorate('csrf', createCsrf(app, previousKey))
}, { name: 'csrf', dependencies: ['cookies', 'tokens'] })
