import fastifyJwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../src/tokens/digest.ts'
import { Unauthorized } from '../../src/errors.ts'
import { secretsOf } from '../../src/tokens/signing-keys.ts'
import { createVerifiedTokens } from '../../src/tokens/verified-tokens.ts'

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
  interface JWT { previous?: JWT }
}

const REQUIRED: Array<keyof Claims> = ['userId', 'username', 'iat', 'exp', 'jti', 'sid', 'use']

/** So many access tokens need not be checked again: of ten thousand people, in some 15 MB. Refresh tokens are read twice by one request, and never again. */
const REMEMBERED = { access: 10_000, refresh: 100 }

function createTokens ({ jwt }: FastifyInstance) {
  const keys = jwt.previous ? [jwt, jwt.previous] : [jwt]
  const verified = {
    access: createVerifiedTokens<Claims>(REMEMBERED.access),
    refresh: createVerifiedTokens<Claims>(REMEMBERED.refresh),
  }

  /** Nothing, where the token is missing, forged, expired or of the other kind. */
  function read (value: string | undefined, use: Claims['use']): Claims | undefined {
    if (!value) return undefined
    const known = verified[use].get(value)
    if (known) return known
    const claims = keys.reduce<Claims | undefined>((found, key) => found ?? verify(key, value), undefined)
    if (claims?.use !== use) return undefined
    verified[use].add(value, claims)
    return claims
  }

  return {
    read,
    sign: (claims: Claims): string => jwt.sign(claims),

    /** One that was signed before, to the letter: with whichever secret it was. Only its digest is known. */
    signAgain: (claims: Claims, known: Buffer): string | undefined =>
      keys.map(key => key.sign(claims)).find(value => digest(value).equals(known)),

    verify (value: string | undefined, use: Claims['use']): Claims {
      const claims = read(value, use)
      if (!claims) throw new Unauthorized()
      return claims
    },
  }
}

function verify (key: JWT, value: string): Claims | undefined {
  try {
    return key.verify<Claims>(value)
  } catch {
    return undefined
  }
}

export default fp(async function (app) {
  for (const [index, secret] of secretsOf(app.config).entries()) {
    await app.register(fastifyJwt, {
      secret,
      namespace: index > 0 ? 'previous' : undefined,
      sign: { algorithm: 'HS256' },
      verify: { algorithms: ['HS256'], requiredClaims: REQUIRED },
    })
  }
  app.decorate('tokens', createTokens(app))
  // With a callback: each request that front ends pass on comes through here, and a promise would cost as much as the rest.
  app.decorate('authenticate', function authenticate (request, _reply, done) {
    const claims = app.tokens.read(request.cookies.access_token, 'access')
    if (!claims) return done(new Unauthorized())
    request.user = claims
    done()
  })
}, { name: 'tokens', dependencies: ['cookies'] })
