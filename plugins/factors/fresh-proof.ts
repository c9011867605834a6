import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { FreshProofRequired } from '../../src/factors/errors.ts'
import { configuredProviders } from '../../src/providers/configured.ts'
import { factorMethods, isProtected } from '../../src/factors/methods.ts'
import type { SessionProof, Ways } from '../records/factors/factors.ts'
import type { SessionReference } from '../sessions/sessions.ts'

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
  const usable = configuredProviders(config).map(({ key }) => key)

  /** A mail is enough only for an account that has nothing else: no password, and no provider that can be used. */
  const hasOnlyMail = ({ hasPassword, providers }: Ways) =>
    !hasPassword && !providers.some(provider => usable.includes(provider))

  /** What the user can prove their identity with, strongest first. */
  function methodsFor (ways: Ways): string[] {
    if (isProtected(ways)) return factorMethods(ways)
    if (ways.hasPassword) return ['password']
    return config.MAIL_SIGN_IN === 'on' && hasOnlyMail(ways) ? ['mail'] : ways.providers
  }

  /** Sessions of version 0.2 may have no `amr`. */
  function isStrongEnough (proof: SessionProof): boolean {
    if (isProtected(proof)) return proof.amr.includes('mfa')
    return hasOnlyMail(proof) || !proof.amr?.includes('mail') || proof.amr.includes('mfa')
  }

  function isFresh (proof: SessionProof): boolean {
    const age = Date.now() / 1_000 - proof.authTime
    return age < config.FRESH_SECONDS && isStrongEnough(proof)
  }

  async function read ({ userId, sid }: SessionReference): Promise<SessionProof> {
    const proof = await factors.ofSession(userId, sid)
    if (!proof) throw new Unauthorized()
    return proof
  }

  return {
    read,
    methodsFor,
    isFresh: async (session: SessionReference) => isFresh(await read(session)),

    async require (request: FastifyRequest) {
      const proof = await read(request.user)
      if (!isFresh(proof)) throw new FreshProofRequired(methodsFor(proof))
    },
  }
}

export default fp(async function (app) {
  const freshProof = createFreshProof(app)
  app.decorate('freshProof', freshProof)
  app.decorate('requireFresh', freshProof.require)
}, { name: 'fresh-proof', dependencies: ['factors'] })
