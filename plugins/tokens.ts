import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../src/errors.ts'
import { createVerifiedTokens } from '../src/verified-tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tokens: ReturnType<typeof createTokens>
    /** For `onRequest`: goes on with `request.user` set, or 401. Neither database nor cache is asked. */
    authenticate: onRequestHookHandler
  }
}

export interface Claims {
  userId: string
  username: string
  iat: number
  exp: number
  jti: string
  /** The session: every token of one sign-in has the same. */
  sid: string
  use: 'access' | 'refresh'
  /** When the session began. In refresh tokens, which must end with it. */
  auth_time?: number
}

declare module '@fastify/jwt' {
  interface FastifyJWT { payload: Claims, user: Claims }
}

const REQUIRED: Array<keyof Claims> = ['userId', 'username', 'iat', 'exp', 'jti', 'sid', 'use']

/** So many access tokens need not be checked again: of ten thousand people, in some 15 MB. Refresh tokens are read twice by one request, and never again. */
const REMEMBERED = { access: 10_000, refresh: 100 }

function createTokens (app: FastifyInstance) {
  const verified = {
    access: createVerifiedTokens<Claims>(REMEMBERED.access),
    refresh: createVerifiedTokens<Claims>(REMEMBERED.refresh),
  }

  /** Nothing, where the token is missing, forged, expired or of the other kind. */
  function read (value: string | undefined, use: Claims['use']): Claims | undefined {
    if (!value) return undefined
    const known = verified[use].get(value)
    if (known) return known
    try {
      const claims = app.jwt.verify<Claims>(value)
      if (claims.use !== use) return undefined
      verified[use].add(value, claims)
      return claims
    } catch {
      return undefined
    }
  }

  return {
    read,
    sign: (claims: Claims): string => app.jwt.sign(claims),

    verify (value: string | undefined, use: Claims['use']): Claims {
      const claims = read(value, use)
      if (!claims) throw new Unauthorized()
      return claims
    },
  }
}

export default fp(async function (app) {
  await app.register(fastifyJwt, {
    secret: app.config.JWT_SECRET,
    sign: { algorithm: 'HS256' },
    verify: { algorithms: ['HS256'], requiredClaims: REQUIRED },
  })
  app.decorate('tokens', createTokens(app))
  // With a callback: each request that front ends pass on comes through here, and a promise would cost as much as the rest.
  app.decorate('authenticate', function authenticate (request, _reply, done) {
    const claims = app.tokens.read(request.cookies.access_token, 'access')
    if (!claims) return done(new Unauthorized())
    request.user = claims
    done()
  })
}, { name: 'tokens', dependencies: ['cookies'] })
