import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { FreshProofRequired, Unauthorized } from '../../src/errors.ts'
import type { SessionProof } from '../records/factors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    freshProof: ReturnType<typeof createFreshProof>
    /**
     * For `onRequest`, after `authenticate`: 401 if the session has ended, and 403 unless the user proved who they
     * are within FRESH_SECONDS, with a second factor if the account has one. Reads the session from the database.
     */
    requireFresh (request: FastifyRequest): Promise<void>
  }
}

function createFreshProof ({ config, factors }: FastifyInstance) {
  /** What the user of this session can prove their identity with, strongest first. */
  function methodsFor (proof: SessionProof): string[] {
    const { passkeys, totp, recoveryCodesLeft, hasPassword, providers } = proof
    if (!factors.isProtected(proof)) return hasPassword ? ['password'] : providers
    return [
      ...(passkeys > 0 ? ['passkey'] : []),
      ...(totp ? ['totp'] : []),
      ...(recoveryCodesLeft > 0 ? ['recovery'] : []),
    ]
  }

  function isFresh (proof: SessionProof): boolean {
    const age = Date.now() / 1_000 - proof.authTime
    return age < config.FRESH_SECONDS && (!factors.isProtected(proof) || Boolean(proof.amr?.includes('mfa')))
  }

  async function read ({ user }: FastifyRequest): Promise<SessionProof> {
    const proof = await factors.ofSession(user.userId, user.sid)
    if (!proof) throw new Unauthorized()
    return proof
  }

  return {
    read,
    methodsFor,

    async require (request: FastifyRequest) {
      const proof = await read(request)
      if (!isFresh(proof)) throw new FreshProofRequired(methodsFor(proof))
    },
  }
}

export default fp(async function (app) {
  const freshProof = createFreshProof(app)
  app.decorate('freshProof', freshProof)
  app.decorate('requireFresh', freshProof.require)
}, { name: 'fresh-proof', dependencies: ['factors'] })
