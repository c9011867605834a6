import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { configuredProviders } from '../../src/providers/configured.ts'
import { createDiscovery } from '../../src/providers/discovery.ts'
import { ProviderSignInFailed } from '../../src/providers/errors.ts'
import { authorizationUrl, readCallback } from '../../src/providers/open-id.ts'
import { PROVIDERS, type Provider } from '../../src/providers/providers.ts'
import { refusalIn, refusalOf } from '../../src/providers/refusal.ts'
import { openIdSettings, type OpenIdSettings } from '../../src/providers/settings.ts'
import type { ProviderFlow } from './oauth.ts'

declare module 'fastify' {
  /** Every provider that has routes: A and B always, and those in PROVIDERS. */
  interface FastifyInstance { socialProviders: SocialProvider[] }
}

export interface SocialProvider extends Provider, ProviderFlow {
  /** Whether users can choose it. */
  isConfigured: boolean
}

/** Of a provider that is found by discovery. */
function createOpenIdFlow (app: FastifyInstance, settings: OpenIdSettings): ProviderFlow {
  const { log, providerStates } = app
  const metadata = createDiscovery(settings)

  // Not awaited: a provider that is down does not delay the start.
  app.addHook('onListen', async function discoverProvider () {
    metadata().catch(err => log.warn({ err, provider: settings.key }, 'discovery of a provider failed'))
  })

  return {
    async begin (_request, reply, { signInAgain = false } = {}) {
      const found = await metadata()
      return authorizationUrl(found, settings, providerStates.begin(settings, reply), signInAgain)
    },

    async finish (query, request, reply) {
      const { code, state, error } = query
      const begun = await providerStates.use(settings, state, request, reply)
      const found = await metadata()
      if (error) throw new ProviderSignInFailed('the provider refused', { refusal: refusalIn(query, [state ?? '']) })
      if (!code) throw new ProviderSignInFailed('the provider sent no code')
      const { search } = new URL(request.url, settings.redirectUri)
      return readCallback(found, settings, begun, search).catch(cause => {
        const refusal = refusalOf(cause, [settings.clientSecret, code, begun.verifier])
        const reason = refusal ? 'the provider refused the code' : 'the answer of the provider was refused'
        throw new ProviderSignInFailed(reason, { refusal, cause })
      })
    },
  }
}

function createSocialProviders (app: FastifyInstance): SocialProvider[] {
  const { config, oauth } = app
  const configured = configuredProviders(config).map(({ key }) => key)
  const byDiscovery = openIdSettings(config)
  const byOAuth = Object.values(PROVIDERS).filter(({ key }) => !byDiscovery.some(each => each.key === key))
  return [
    ...byOAuth.map(({ key, path }) => ({ key, path, isConfigured: configured.includes(key), ...oauth[key] })),
    ...byDiscovery.map(settings => {
      const { key, path, issuer } = settings
      return { key, path, issuer, isConfigured: true, ...createOpenIdFlow(app, settings) }
    }),
  ]
}

export default fp(async function (app) {
  app.decorate('socialProviders', createSocialProviders(app))
}, { name: 'social-providers', dependencies: ['oauth', 'provider-states'] })
