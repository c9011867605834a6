import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { digest } from '../../src/secrets/digest.ts'
import type { Method, Proof } from '../../src/sessions/session.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { SessionRecord } from '../records/sessions/sessions-store.ts'
import { strictCookie } from './cookies.ts'
import type { SessionReference } from './sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { replaceSession: ReturnType<typeof createReplaceSession> }
}

/** The session that goes on. Its cookies are set after the transaction: it may still fail. */
export interface Successor {
  session: SessionRecord
  username: string
  proof: Proof & { mustEnrol: boolean }
  refreshToken: string
}

/** Random values of the browser client. A shorter one could be guessed. */
const KEY = /^[\w-]{32,128}$/

/**
 * A proof of identity replaces the session, so that a copy of its cookies gets nothing from the proof.
 * The browser client puts a random value into the cookie `proof_key` just before it sends the proof. If the response is
 * lost, this value and the old refresh token lead to the new session. A copy from before the proof has no such value.
 */
function createReplaceSession (app: FastifyInstance) {
  const { config, factors, sessionReplacements, sessionTokens } = app
  const production = config.NODE_ENV === 'production'
  const cookieName = (request: FastifyRequest) =>
    production || '__Host-proof_key' in request.cookies ? '__Host-proof_key' : 'proof_key'

  function keyOf (request: FastifyRequest): Buffer | undefined {
    const value = request.cookies[cookieName(request)] ?? ''
    return KEY.test(value) ? digest(value) : undefined
  }

  return {
    keyOf,

    /** Throws if the session has ended. Without `amr`, what the session has proved stays as it is. */
    async begin (
      client: Queryable,
      request: FastifyRequest,
      { userId, sid }: SessionReference,
      amr?: Method[]
    ): Promise<Successor> {
      const previous = await sessionReplacements.lock(client, userId, sid)
      if (!previous) throw new Unauthorized()
      const { username, signedInAt } = previous
      const session = sessionTokens.first(userId, signedInAt)
      const refreshToken = sessionTokens.sign(session, username)
      const proof = amr ? { authTime: session.issuedAt, amr } : previous.proof
      await sessionReplacements.replace(client, sid, session, { refreshToken, proof, proofKey: keyOf(request) })
      const mustEnrol = await factors.mustEnrol(userId, client)
      return { session, username, proof: { ...proof, mustEnrol }, refreshToken }
    },

    /** Sets the cookies of the new session. `issuedAt` is from before it was read. */
    finish (
      request: FastifyRequest,
      reply: FastifyReply,
      { session, username, proof, refreshToken }: Successor,
      issuedAt = session.issuedAt
    ) {
      sessionTokens.setCookies(reply, session, username, proof, refreshToken, issuedAt)
      const name = cookieName(request)
      if (name in request.cookies) reply.clearCookie(name, { ...strictCookie(name !== 'proof_key'), httpOnly: false })
    },
  }
}

export default fp(async function (app) {
  app.decorate('replaceSession', createReplaceSession(app))
}, { name: 'replace-session', dependencies: ['cookies', 'factors', 'session-replacements', 'session-tokens'] })
