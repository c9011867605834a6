import { randomBytes } from 'node:crypto'
import { Tokens } from '@fastify/csrf'
import csrfProtection from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { signedCookie } from '../../src/sessions/signed-cookie.ts'
import { strictCookie } from './cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { csrf: ReturnType<typeof createCsrf> }
}

const COOKIE = '_csrf'

/** The header alone: a form of another site cannot set it, and the body has not been read yet. */
const tokenOf = ({ headers }: FastifyRequest) => headers['x-csrf-token'] as string | undefined
const cookieOptions = ({ config }: FastifyInstance) => strictCookie(config.NODE_ENV === 'production')

/** As version 0.2 signed it. */
const FORMER = /^[\w-]{24}$/

function createCsrf (app: FastifyInstance, previousKey?: string) {
  const previous = previousKey ? new Tokens({ userInfo: true, hmacKey: previousKey }) : undefined
  const cookie = signedCookie(COOKIE, cookieOptions(app), FORMER)

  function isOfPreviousKey (request: FastifyRequest): boolean {
    const secret = request.unsignCookie(request.cookies[COOKIE] ?? '').value
    const token = tokenOf(request)
    return Boolean(secret && token && previous?.verify(secret, token, request.user.userId))
  }

  return {
    /** For `onRequest`, after `authenticate`: 403 without a token of the signed-in user. */
    protect (request: FastifyRequest, reply: FastifyReply, done: () => void) {
      // The plugin does not compare the name that is part of what is signed.
      if (cookie.read(request) === undefined) delete request.cookies[COOKIE]
      if (isOfPreviousKey(request)) done()
      else app.csrfProtection(request, reply, done)
    },

    /** Writes the cookie each time: one that the previous key or version 0.2 signed becomes a present one. */
    issue (request: FastifyRequest, reply: FastifyReply): string {
      const secret = cookie.read(request) ?? randomBytes(18).toString('base64url')
      request.cookies[COOKIE] = cookie.write(reply, secret)
      return reply.generateCsrf({ userInfo: request.user.userId })
    },
  }
}

export default fp(async function (app) {
  const [hmacKey, previousKey] = keysFor('csrf', app.config) as [string, string?]
  await app.register(csrfProtection, {
    cookieKey: COOKIE,
    cookieOpts: { ...cookieOptions(app), signed: true },
    csrfOpts: { userInfo: true, hmacKey },
    getUserInfo: request => request.user.userId,
    getToken: tokenOf,
  })
  app.decorate('csrf', createCsrf(app, previousKey))
}, { name: 'csrf', dependencies: ['cookies', 'tokens'] })
