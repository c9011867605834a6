import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { SecondFactorRequired } from '../../src/factors/errors.ts'
import { secretsOf } from '../../src/secrets/derived-keys.ts'
import { digest } from '../../src/secrets/digest.ts'
import { createVerifiedTokens } from '../../src/sessions/verified-tokens.ts'
import type { Method } from '../../src/sessions/session.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tokens: ReturnType<typeof createTokens>
    /** For `onRequest`: sets `request.user` or fails with 401. Queries neither PostgreSQL nor Redis. */
    authenticate: onRequestHookHandler
    /** The same, also for a session that can do nothing but add a second factor. */
    authenticateToEnrol: onRequestHookHandler
  }
}

export interface Claims {
  userId: string
  username: string
  iat: number
  exp: number
  jti: string
  /** The session id, shared by all tokens of one sign-in. */
  sid: string
  use: 'access' | 'refresh'
  /** In refresh tokens: when the user signed in. In access tokens: when they last proved who they are. */
  auth_time?: number
  /** How they proved it. Only in access tokens. */
  amr?: Method[]
  /** The session can do nothing but add a second factor. Only in access tokens. */
  enrol?: true
}

export interface RefreshClaims extends Claims {
  auth_time: number
  /** How many refresh tokens of the session came before. */
  gen: number
  /** Accepted only from the cookie that no other host can set. */
  prefixed?: true
}

interface ClaimsOf { access: Claims, refresh: RefreshClaims }

declare module '@fastify/jwt' {
  interface FastifyJWT { payload: Claims, user: Claims }
  interface JWT { previous?: JWT }
}

const REQUIRED_CLAIMS: Array<keyof Claims> = ['userId', 'username', 'iat', 'exp', 'jti', 'sid', 'use']
const REQUIRED_TO_REFRESH: Array<keyof RefreshClaims> = ['auth_time', 'gen']

/**
 * Verified tokens that are cached: the access tokens of 10,000 users take about 15 MB.
 * A refresh token is read twice within one request and never again.
 */
const CACHE_SIZE = { access: 10_000, refresh: 100 }

function createTokens ({ config, jwt, revocations, tokenCookies }: FastifyInstance) {
  const keys = jwt.previous ? [jwt, jwt.previous] : [jwt]
  const verified = {
    access: createVerifiedTokens<Claims>(CACHE_SIZE.access),
    refresh: createVerifiedTokens<Claims>(CACHE_SIZE.refresh),
  }

  /** With the present secret or the previous one. */
  function verify (value: string): Claims | undefined {
    for (const key of keys) {
      try {
        return key.verify<Claims>(value)
      } catch {}
    }
  }

  function verifyOnce (value: string | undefined, use: Claims['use']): Claims | undefined {
    if (!value) return undefined
    const cached = verified[use].get(value)
    if (cached) return cached
    const claims = verify(value)
    if (claims?.use !== use) return undefined
    if (use === 'refresh' && !REQUIRED_TO_REFRESH.every(name => name in claims)) return undefined
    verified[use].add(value, claims)
    return claims
  }

  /**
   * Returns undefined if the token is missing, forged, expired or of the other kind,
   * or an access token of an ended session. Whether a refresh token can be used is decided by PostgreSQL.
   */
  function read<Use extends Claims['use']> (value: string | undefined, use: Use): ClaimsOf[Use] | undefined {
    const claims = verifyOnce(value, use) as ClaimsOf[Use] | undefined
    return claims && use === 'access' && revocations.has(claims.sid, claims.iat) ? undefined : claims
  }

  /** The claims of the refresh token in the cookies. Without the prefix, only one from before COOKIE_DOMAIN was set. */
  function refreshOf (request: FastifyRequest): RefreshClaims | undefined {
    const { value, isPrefixed } = tokenCookies.refresh(request)
    const claims = read(value, 'refresh')
    return claims?.prefixed && !isPrefixed ? undefined : claims
  }

  /**
   * The claims of the access token in the cookies. With COOKIE_DOMAIN, other hosts under it can set this cookie: here,
   * it must be of the same session as the refresh token. `alone`: also without one, as at the host of an app.
   */
  function accessOf (request: FastifyRequest, alone?: boolean): Claims | undefined {
    if (!config.COOKIE_DOMAIN) return read(request.cookies.access_token, 'access')
    const values = tokenCookies.access(request)
    const session = refreshOf(request)
    if (!session) return alone ?? request.routeOptions.config.isForProxies ? read(values[0], 'access') : undefined
    return values.map(value => read(value, 'access')).find(claims => claims?.sid === session.sid)
  }

  return {
    read,
    refreshOf,
    accessOf,

    sign: (claims: Claims): string => jwt.sign(claims),

    /** Recreates a token from its possible claims: tries each secret, and compares the results with the digest. */
    signAgain: (candidates: Claims[], storedDigest: Buffer): string | undefined =>
      keys.flatMap(key => candidates.map(claims => key.sign(claims)))
        .find(value => digest(value).equals(storedDigest)),
  }
}

export default fp(async function (app) {
  for (const [index, secret] of secretsOf(app.config).entries()) {
    await app.register(fastifyJwt, {
      secret,
      namespace: index > 0 ? 'previous' : undefined,
      sign: { algorithm: 'HS256' },
      verify: { algorithms: ['HS256'], requiredClaims: REQUIRED_CLAIMS },
    })
  }
  const { revocations } = app
  const tokens = createTokens(app)
  app.decorate('tokens', tokens)

  function check (request: FastifyRequest, done: (error?: Error) => void, mayEnrol: boolean) {
    const claims = tokens.accessOf(request)
    if (!claims) return done(new Unauthorized())
    if (claims.enrol && !mayEnrol) return done(new SecondFactorRequired())
    request.user = claims
    done()
  }

  // With a callback, because this is the hot path: a promise would double its cost.
  function checkUpToDate (request: FastifyRequest, done: (error?: Error) => void, mayEnrol: boolean) {
    if (!revocations.isBehind()) return check(request, done, mayEnrol)
    revocations.catchUp().then(() => check(request, done, mayEnrol), done)
  }

  app.decorate('authenticate', function authenticate (request, _reply, done) {
    checkUpToDate(request, done, false)
  })
  app.decorate('authenticateToEnrol', function authenticateToEnrol (request, _reply, done) {
    checkUpToDate(request, done, true)
  })
}, { name: 'tokens', dependencies: ['cookies', 'revocations'] })
