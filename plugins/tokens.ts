import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../src/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tokens: ReturnType<typeof createTokens>
    /** For `onRequest`: goes on with `request.user` set, or 401. Neither database nor cache is asked. */
    authenticate (request: FastifyRequest): Promise<void>
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

function createTokens (app: FastifyInstance) {
  /** Nothing, where the token is missing, forged, expired or of the other kind. */
  function read (value: string | undefined, use: Claims['use']): Claims | undefined {
    if (!value) return undefined
    try {
      const claims = app.jwt.verify<Claims>(value)
      return claims.use === use ? claims : undefined
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
    verify: { algorithms: ['HS256'], requiredClaims: REQUIRED, cache: true },
  })
  app.decorate('tokens', createTokens(app))
  app.decorate('authenticate', async function authenticate (request) {
    request.user = app.tokens.verify(request.cookies.access_token, 'access')
  })
}, { name: 'tokens', dependencies: ['cookies'] })
