import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { inTime } from '../../src/database/outage.ts'
import { Unauthorized, Unavailable, UnknownAudience } from '../../src/errors.ts'
import { TOKEN_LIFETIME } from '../../src/service-tokens/key-rotation.ts'
import { createVerifiedTokens } from '../../src/sessions/verified-tokens.ts'
import type { SessionReference } from '../sessions/sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { serviceTokens: ReturnType<typeof createServiceTokens> }
}

interface IssueOptions {
  /** A token that was compared with the database this many milliseconds ago is not compared again. */
  maxAge?: number
}

/** What is true of a session and its user, and since when. */
interface Facts { says: object, checkedAt: number }

interface IssuedToken extends Facts {
  token: string
  exp: number
  /** The key that signed it. */
  kid: string
}

/** A token is reused while it is valid for more than this many seconds. */
const MIN_VALIDITY = 60
/** About 1 kB each. */
const MAX_TOKENS = 10_000

function createServiceTokens (app: FastifyInstance) {
  const { config, sessionOwners, signingKeys, tokenClaims } = app
  const issuer = new URL(config.PUBLIC_URL).origin
  const issued = createVerifiedTokens<IssuedToken>(MAX_TOKENS)
  const reads = new Map<string, Promise<Facts>>()
  const signatures = new Map<string, Promise<IssuedToken>>()

  /** What a token says about the session and its user. Throws if the session has ended. */
  async function read ({ userId, sid }: SessionReference) {
    const [owner, claims] = await Promise.all([sessionOwners.find(userId, sid), tokenClaims.of(userId)])
    if (!owner) throw new Unauthorized()
    const { username, email, emailVerified, authTime, amr } = owner
    return {
      ...claims,
      sid,
      username,
      email,
      email_verified: emailVerified,
      auth_time: authTime,
      amr,
    }
  }

  /** While PostgreSQL does not respond, a token is still true: no session ends and no account changes. */
  async function check (session: SessionReference, cached?: IssuedToken): Promise<Facts> {
    const checkedAt = performance.now()
    try {
      return { says: await inTime(read(session)), checkedAt }
    } catch (error) {
      if (!cached || !(error instanceof Unavailable)) throw error
      return { says: cached.says, checkedAt: performance.now() }
    }
  }

  function reusable (key: string): IssuedToken | undefined {
    const token = issued.get(key)
    const isValid = token && token.exp - MIN_VALIDITY > Date.now() / 1_000 && signingKeys.isPublished(token.kid)
    return isValid ? token : undefined
  }

  async function sign ({ userId }: SessionReference, audience: string, facts: Facts): Promise<IssuedToken> {
    const iat = Math.floor(Date.now() / 1_000)
    const exp = iat + TOKEN_LIFETIME
    const claims = { ...facts.says, iss: issuer, sub: userId, aud: audience, iat, exp, jti: randomUUID() }
    return { ...await signingKeys.sign(claims), exp, ...facts }
  }

  /** The token is kept before the signature is no longer under way: a request in between would get another one. */
  async function signAndKeep (key: string, session: SessionReference, audience: string, facts: Facts) {
    try {
      const token = await sign(session, audience, facts)
      issued.add(key, token)
      return token
    } finally {
      signatures.delete(key)
    }
  }

  /** Concurrent requests that have read the same facts share one new token. */
  async function tokenWith (facts: Facts, session: SessionReference, audience: string, key: string) {
    while (signatures.has(key)) await signatures.get(key)?.catch(() => {})
    const cached = reusable(key)
    if (cached && isDeepStrictEqual(facts.says, cached.says)) return Object.assign(cached, facts)
    const signing = signAndKeep(key, session, audience, facts)
    signatures.set(key, signing)
    return signing
  }

  return {
    /** A token for one of TOKEN_AUDIENCES. The same one for a session and audience while it is valid and true. */
    async issue (
      session: SessionReference,
      audience: string,
      { maxAge = 0 }: IssueOptions = {}
    ): Promise<Pick<IssuedToken, 'token' | 'exp'>> {
      if (!config.TOKEN_AUDIENCES.includes(audience)) throw new UnknownAudience()
      const key = `${session.sid} ${audience}`
      const cached = reusable(key)
      if (cached && performance.now() - cached.checkedAt < maxAge) return cached
      // What another request reads may be from before a change: only those that accept some age share it.
      const shared = maxAge > 0 ? reads.get(key) : undefined
      const reading = shared ?? check(session, cached).finally(() => reads.delete(key))
      reads.set(key, reading)
      return tokenWith(await reading, session, audience, key)
    },
  }
}

export default fp(async function (app) {
  app.decorate('serviceTokens', createServiceTokens(app))
}, { name: 'service-tokens', dependencies: ['session-owners', 'signing-keys', 'token-claims'] })
