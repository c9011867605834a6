import { hash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { ACCESS_LIFETIME, type Proof } from '../../src/sessions/session.ts'
import type { SessionRecord } from '../records/sessions/sessions-store.ts'
import type { Claims, RefreshClaims } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance { sessionTokens: ReturnType<typeof createSessionTokens> }
}

interface AccessProof extends Proof { mustEnrol: boolean }

const DAY = 24 * 60 * 60
export const REFRESH_LIFETIME = 30 * DAY

/** The tokens of a session: who gets which claims, and for how long. */
function createSessionTokens (app: FastifyInstance) {
  const { config, tokenCookies, tokens } = app

  function record (id: string, userId: string, generation: number, signedInAt?: number): SessionRecord {
    const issuedAt = secondsNow()
    const startedAt = signedInAt ?? issuedAt
    const expiresAt = Math.min(issuedAt + REFRESH_LIFETIME, startedAt + config.SESSION_MAX_AGE * DAY)
    return { id, userId, generation, issuedAt, expiresAt, signedInAt: startedAt }
  }

  function refreshClaims (session: SessionRecord, username: string, prefixed = tokenCookies.usesPrefix): RefreshClaims {
    const { id: sid, userId, generation: gen, issuedAt: iat, expiresAt: exp, signedInAt } = session
    const jti = tokenId(sid, gen)
    const mark = prefixed && { prefixed }
    return { userId, username, iat, exp, jti, sid, use: 'refresh', auth_time: signedInAt, gen, ...mark }
  }

  function signAccess (
    { id: sid, userId, expiresAt }: SessionRecord,
    username: string,
    { authTime, amr, mustEnrol }: AccessProof,
    iat: number
  ) {
    const exp = Math.min(iat + ACCESS_LIFETIME, expiresAt)
    const jti = randomUUID()
    const claims: Claims = { userId, username, iat, exp, jti, sid, use: 'access', auth_time: authTime, amr }
    const value = tokens.sign({ ...claims, ...(mustEnrol && { enrol: true }) })
    return { value, maxAge: exp - iat }
  }

  return {
    /** `signedInAt`: of the session that it replaces. */
    first: (userId: string, signedInAt?: number) => record(randomUUID(), userId, 0, signedInAt),

    /** The record of the token that follows this one. */
    next: ({ sid, userId, gen, auth_time: signedInAt }: RefreshClaims) => record(sid, userId, gen + 1, signedInAt),

    secondsNow,

    sign: (session: SessionRecord, username: string) => tokens.sign(refreshClaims(session, username)),

    /** The current refresh token of a session once more. Undefined if its secret is no longer configured. */
    signAgain: (session: SessionRecord, username: string, digest: string) => {
      // It may be from an instance with another COOKIE_DOMAIN.
      const candidates = [true, false].map(prefixed => refreshClaims(session, username, prefixed))
      return tokens.signAgain(candidates, Buffer.from(digest, 'hex'))
    },

    /** `iat` is the present time. A refresh token that is sent again keeps its expiry. */
    setCookies (
      reply: FastifyReply,
      session: SessionRecord,
      username: string,
      proof: AccessProof,
      refresh: string,
      iat: number
    ) {
      tokenCookies.set(reply, {
        access: signAccess(session, username, proof, iat),
        refresh: { value: refresh, maxAge: session.expiresAt - iat },
      })
    },
  }
}

/** A UUID that need not be stored: it is the same whenever the token is signed again. */
function tokenId (sid: string, generation: number): string {
  const id = hash('sha256', `${sid} ${generation}`, 'hex')
  return id.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function secondsNow (): number {
  return Math.floor(Date.now() / 1000)
}

export default fp(async function (app) {
  app.decorate('sessionTokens', createSessionTokens(app))
}, { name: 'session-tokens', dependencies: ['cookies', 'tokens'] })
