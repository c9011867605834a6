import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Conflict, NotFound } from '../../src/errors.ts'
import { IdentityTaken, ProviderSignInFailed } from '../../src/providers/errors.ts'
import type { CallbackQuery } from './oauth.ts'
import type { SocialProvider } from './social-providers.ts'
import type { SessionReference } from '../sessions/sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { ownProviders: ReturnType<typeof createOwnProviders> }
}

/** `taken`: this user of the provider belongs to another account. */
type Outcome = 'connected' | 'taken' | 'failed'

/** The providers that the signed-in user has connected to the account. */
function createOwnProviders (app: FastifyInstance) {
  const { config, factorChanges, identities, providerTransactions, socialProviders } = app
  const pathOf = (key: string) => socialProviders.find(each => each.key === key)?.path ?? key
  const keyOf = (path: string) => socialProviders.find(each => each.path === path)?.key ?? path

  return {
    /** The fields that the API returns. */
    async list (userId: string) {
      return (await identities.list(userId)).map(({ provider, email, connectedAt, lastUsedAt }) => ({
        provider: pathOf(provider),
        email,
        connectedAt: connectedAt?.toISOString() ?? null,
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }))
    },

    /** The address of the provider's sign-in page. The cookies bind the way back to this session and browser. */
    async begin (name: string, request: FastifyRequest, reply: FastifyReply): Promise<string> {
      const provider = socialProviders.find(({ path, isConfigured }) => isConfigured && path === name)
      if (!provider) throw new NotFound()
      const linked = await identities.list(request.user.userId)
      if (linked.some(({ provider: key }) => key === provider.key)) {
        throw new Conflict('This provider is connected already. Disconnect it first.')
      }
      const location = await provider.begin(request, reply)
      const transaction = { session: request.user, next: config.LOGIN_REDIRECT, connects: true }
      providerTransactions.begin(provider, location, transaction, reply)
      return location
    },

    /** The user came back from the provider. Addresses may differ: the signed-in user asked for it. */
    async finish (
      provider: SocialProvider,
      query: CallbackQuery,
      session: SessionReference,
      request: FastifyRequest,
      reply: FastifyReply
    ): Promise<Outcome> {
      try {
        const profile = await provider.finish(query, request, reply)
        // Throws if the session has ended meanwhile.
        await factorChanges.run(request, 'provider_linked', async client => {
          if (await identities.link(client, session.userId, provider, profile)) return
          throw new ProviderSignInFailed('the account is linked to another user of this provider')
        }, session)
        return 'connected'
      } catch (err) {
        const refusal = err instanceof ProviderSignInFailed ? err.refusal : undefined
        request.log.warn({ err, provider: provider.key, ...refusal }, 'could not connect a provider')
        return err instanceof IdentityTaken ? 'taken' : 'failed'
      }
    },

    async disconnect (name: string, request: FastifyRequest) {
      await factorChanges.run(request, 'provider_removed', async client => {
        if (!await identities.unlink(client, request.user.userId, keyOf(name))) throw new NotFound()
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('ownProviders', createOwnProviders(app))
}, {
  name: 'own-providers',
  dependencies: ['factor-changes', 'identities', 'provider-transactions', 'social-providers'],
})
