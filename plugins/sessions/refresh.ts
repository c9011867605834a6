import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { clientOf } from '../../src/edge/client-address.ts'
import { NotProvedYet } from '../../src/sessions/errors.ts'
import type { DeviceProof, Proof } from '../../src/sessions/session.ts'
import type { Inspection } from '../records/sessions/rotations.ts'
import type { RefreshClaims } from './tokens.ts'

type Refresh = ReturnType<typeof createRefresh>

declare module 'fastify' {
  interface FastifyInstance {
    /** Rotates the refresh token, sets new cookies and returns the user. */
    refresh: Refresh
  }
}

function createRefresh (app: FastifyInstance) {
  const { config, database, deviceBinding, events, factors, metrics, replaceSession, rotations } = app
  const { sessionsStore, sessionTokens, suspectedTheft, tokenCookies, tokens } = app
  const countRefresh = metrics.counter(
    'gatehouse_refreshes_total',
    'Refresh requests: rotated, repeated within the grace period, reused after it, refused, ' +
      'without the key of the device, or not proved yet',
    { outcome: ['rotated', 'repeated', 'reused', 'refused', 'unproven', 'skipped'] }
  )

  function refusal (outcome: 'reused' | 'refused' | 'unproven') {
    countRefresh({ outcome })
    return new Unauthorized()
  }

  /** An account that lost its last second factor, or never had one, may have to add one. */
  async function accessOf ({ owner, proof }: { owner: { id: string }, proof: Proof }) {
    return { ...proof, mustEnrol: await factors.mustEnrol(owner.id) }
  }

  async function revokeForReuse (request: FastifyRequest, reply: FastifyReply, { userId, sid }: RefreshClaims) {
    const revoked = await database.transact(async client => {
      const revoked = await sessionsStore.revoke(client, userId, sid, 'reuse')
      if (revoked) await events.record('refresh_reuse', request, userId, client)
      return revoked
    })
    // A session that ended before may have been replaced: then the browser has the cookies of the new one.
    if (revoked) tokenCookies.clear(reply)
  }

  /** The proof, if the session is bound to the key of a device. Throws if the request did not prove the key. */
  async function checkKey (
    { deviceKey, usedProof, inGrace, owner }: Inspection,
    claims: RefreshClaims,
    request: FastifyRequest,
    reply: FastifyReply
  ): Promise<DeviceProof | undefined> {
    if (!deviceKey || config.DEVICE_BOUND_SESSIONS === 'off') return undefined
    const proof = deviceBinding.proofOf(request, claims)
    const isProved = proof?.key === deviceKey
    if (isProved && (proof.id > (usedProof ?? '') || inGrace)) return proof
    // After a lost response, or in a copy of a refresh. Only the browser with the key can make another proof.
    if (isProved) tokenCookies.clearProof(reply)
    if (isProved || request.headers['secure-session-skipped'] !== undefined) {
      countRefresh({ outcome: 'skipped' })
      throw new NotProvedYet()
    }
    await suspectedTheft.report(request, reply, owner)
    throw refusal('unproven')
  }

  /** For a replaced session whose browser did not get the response to its proof. */
  async function goOn (claims: RefreshClaims, issuedAt: number, request: FastifyRequest, reply: FastifyReply) {
    const key = replaceSession.keyOf(request)
    const found = key && await rotations.inspectSuccessor(claims.sid, key)
    if (!found || found.ended) throw refusal('refused')
    await checkKey(found, claims, request, reply)
    const { session, owner } = found
    const refreshToken = sessionTokens.signAgain(session, owner.username, found.digest)
    if (!refreshToken) throw refusal('refused')
    const successor = { session, username: owner.username, proof: await accessOf(found), refreshToken }
    replaceSession.finish(request, reply, successor, issuedAt)
    countRefresh({ outcome: 'repeated' })
    return owner
  }

  /** For a token that could not be rotated: the successor again, or the end of the session. */
  async function repeat (claims: RefreshClaims, request: FastifyRequest, reply: FastifyReply) {
    // From before the query: a session that ends meanwhile must not get a token that outlives its revocation.
    const issuedAt = sessionTokens.secondsNow()
    const found = await rotations.inspect(claims.sid)
    if (found?.ended) return goOn(claims, issuedAt, request, reply)
    if (!found) throw refusal('refused')
    const proof = await checkKey(found, claims, request, reply)
    const { session, digest, owner } = found
    if (claims.gen >= session.generation) throw refusal('refused')

    // With another proof of the key, a response that was lost can be had later, too.
    const inGrace = found.inGrace || proof !== undefined
    const current = inGrace ? sessionTokens.signAgain(session, claims.username, digest) : undefined
    // A copy of the cookies may have a proof for some minutes. It does not sign the owner out.
    if (proof && claims.gen < session.generation - 1) throw refusal('refused')
    if (inGrace && !current) throw refusal('refused')
    if (!current || claims.gen < session.generation - 1) {
      await revokeForReuse(request, reply, claims)
      throw refusal('reused')
    }
    if (proof) await rotations.noteProof(session.id, proof)
    sessionTokens.setCookies(reply, session, claims.username, await accessOf(found), current, issuedAt)
    countRefresh({ outcome: 'repeated' })
    return owner
  }

  return async function refresh (request: FastifyRequest, reply: FastifyReply) {
    const { value } = tokenCookies.refresh(request)
    const claims = tokens.refreshOf(request)
    if (!value || !claims) throw refusal('refused')
    const next = sessionTokens.next(claims)
    const successor = sessionTokens.sign(next, claims.username)
    const proof = deviceBinding.proofOf(request, claims)
    const rotated = await rotations.rotate(value, next, successor, clientOf(request), proof)
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
    'cookies', 'database', 'device-binding', 'events', 'factors', 'metrics', 'replace-session', 'rotations',
    'session-tokens', 'sessions-store', 'suspected-theft', 'tokens',
  ],
})
