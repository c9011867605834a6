import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/secrets/derived-keys.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tokenCookies: ReturnType<typeof createTokenCookies>
    /** The listener for operators has cookies of its own: browsers send the same ones to every port of a host. */
    cookieScope: { prefix: string, path: string }
  }
}

interface TokenPair {
  access: { value: string, maxAge: number }
  refresh: { value: string, maxAge: number }
}

/** Attributes of every cookie of the service: hidden from scripts, same-site requests only, this host only. */
export function strictCookie (production: boolean): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: production }
}

function createTokenCookies (app: FastifyInstance) {
  const attributes = strictCookie(app.config.NODE_ENV === 'production')

  return {
    set (reply: FastifyReply, { access, refresh }: TokenPair) {
      reply.setCookie('access_token', access.value, { ...attributes, maxAge: access.maxAge })
      reply.setCookie('refresh_token', refresh.value, { ...attributes, maxAge: refresh.maxAge })
    },

    clear (reply: FastifyReply) {
      reply.clearCookie('access_token', attributes)
      reply.clearCookie('refresh_token', attributes)
    },
  }
}

export default fp(async function (app) {
  await app.register(cookie, { secret: keysFor('cookies', app.config) })
  app.decorate('cookieScope', { prefix: '', path: '/' })
  app.decorate('tokenCookies', createTokenCookies(app))
}, { name: 'cookies' })
