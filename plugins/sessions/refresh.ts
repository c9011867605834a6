import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { clientOf } from '../../src/edge/client-address.ts'
import type { Proof } from '../../src/sessions/session.ts'
import type { RefreshClaims } from './tokens.ts'

type Refresh = ReturnType<typeof createRefresh>

declare module 'fastify' {
  interface FastifyInstance {
    /** Rotates the refresh token, sets new cookies and returns the user. */
    refresh: Refresh
  }
}

function createRefresh (app: FastifyInstance) {
  const { database, events, factors, metrics, rotations, sessionsStore, sessionTokens, tokenCookies, tokens } = app
  const countRefresh = metrics.counter(
    'gatehouse_refreshes_total',
    'Refresh requests: rotated, repeated within the grace period, reused after it, or refused',
    { outcome: ['rotated', 'repeated', 'reused', 'refused'] }
  )

  function refusal (outcome: 'reused' | 'refused') {
    countRefresh({ outcome })
    return new Unauthorized()
  }

  /** An account that lost its last second factor, or never had one, may have to add one. */
  async function accessOf ({ owner, proof }: { owner: { id: string }, proof: Proof }) {
    return { ...proof, mustEnrol: await factors.mustEnrol(owner.id) }
  }

  async function revokeForReuse (request: FastifyRequest, reply: FastifyReply, { userId, sid }: RefreshClaims) {
    await database.transact(async client => {
      const revoked = await sessionsStore.revoke(client, userId, sid, 'reuse')
      if (revoked) await events.record('refresh_reuse', request, userId, client)
    })
    tokenCookies.clear(reply)
  }

  /** For a token that could not be rotated: the successor again, or the end of the session. */
  async function repeat (claims: RefreshClaims, request: FastifyRequest, reply: FastifyReply) {
    // From before the query: a session that ends meanwhile must not get a token that outlives its revocation.
    const issuedAt = sessionTokens.secondsNow()
    const found = await rotations.inspect(claims.sid)
    if (!found || found.ended || claims.gen >= found.session.generation) throw refusal('refused')

    const { session, inGrace, digest, owner } = found
    const current = inGrace ? sessionTokens.signAgain(session, claims.username, digest) : undefined
    if (inGrace && !current) throw refusal('refused')
    if (!current || claims.gen < session.generation - 1) {
      await revokeForReuse(request, reply, claims)
      throw refusal('reused')
    }
    sessionTokens.setCookies(reply, session, claims.username, await accessOf(found), current, issuedAt)
    countRefresh({ outcome: 'repeated' })
    return owner
  }

  return async function refresh (request: FastifyRequest, reply: FastifyReply) {
    const value = request.cookies.refresh_token
    const claims = tokens.read(value, 'refresh')
    if (!value || !claims) throw refusal('refused')
    const next = sessionTokens.next(claims)
    const successor = sessionTokens.sign(next, claims.username)
    const rotated = await rotations.rotate(value, next, successor, clientOf(request))
    if (!rotated) return repeat(claims, request, reply)

    sessionTokens.setCookies(reply, next, claims.username, await accessOf(rotated), successor, next.issuedAt)
    countRefresh({ outcome: 'rotated' })
    return rotated.owner
  }
}

export default fp(async function (app) {
  app.decorate('refresh', createRefresh(app))
}, {
  name: 'refresh',
  dependencies: [
    'cookies', 'database', 'events', 'factors', 'metrics', 'rotations', 'session-tokens', 'sessions-store', 'tokens',
  ],
})
