import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { ProviderSignInFailed } from '../../src/providers/errors.ts'
import type { ProvenProfile } from '../../src/providers/profile.ts'
import type { Provider } from '../../src/providers/providers.ts'
import type { SessionReference } from '../sessions/sessions.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A user without a password came back from their provider, and confirms the identity of this session. */
    confirmAtProvider (
      provider: Provider,
      profile: ProvenProfile,
      confirmation: { session: SessionReference, since: number },
      reply: FastifyReply
    ): Promise<void>
  }
}

/** For clocks that differ, in seconds. */
const TOLERANCE = 60

function createConfirmAtProvider (app: FastifyInstance): FastifyInstance['confirmAtProvider'] {
  const { freshProof, sessions, socialAccounts, users } = app

  return async function confirmAtProvider (provider, profile, { session, since }, reply) {
    // A verified ID token must tell when the user signed in. Others may not.
    const { authTime = provider.issuer ? 0 : since } = profile
    if (authTime < since - TOLERANCE) {
      throw new ProviderSignInFailed('the provider did not ask the user to sign in again')
    }
    if (!await socialAccounts.isLinked(provider, profile, session.userId)) {
      throw new ProviderSignInFailed('another user of the provider came back')
    }
    const user = await users.findById(session.userId)
    const methods = freshProof.methodsFor(await freshProof.read(session))
    if (!user || !methods.includes(provider.key)) {
      throw new ProviderSignInFailed('the account confirms its identity in another way')
    }
    await sessions.prove({ ...session, username: user.username }, reply, ['ext'])
  }
}

export default fp(async function (app) {
  app.decorate('confirmAtProvider', createConfirmAtProvider(app))
}, { name: 'confirm-at-provider', dependencies: ['fresh-proof', 'sessions', 'social-accounts', 'users'] })
