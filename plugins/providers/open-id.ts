import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createDiscovery } from '../../src/providers/discovery.ts'
import { ProviderSignInFailed } from '../../src/providers/errors.ts'
import { authorizationUrl, readCallback } from '../../src/providers/open-id.ts'
import { openIdSettings, type OpenIdSettings } from '../../src/providers/settings.ts'
import type { ProviderFlow } from './oauth.ts'

declare module 'fastify' {
  /** OpenID Connect providers that are found by discovery. */
  interface FastifyInstance { openId: Array<OpenIdSettings & ProviderFlow> }
}

function createFlow (app: FastifyInstance, settings: OpenIdSettings): ProviderFlow {
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

    async finish ({ code, state, error }, request, reply) {
      const found = await metadata()
      const begun = await providerStates.use(settings, request, reply)
      if (error) throw new ProviderSignInFailed('the provider refused')
      if (!code || !state) throw new ProviderSignInFailed('the provider sent no code')
      const { search } = new URL(request.url, settings.redirectUri)
      return readCallback(found, settings, begun, search).catch(cause => {
        throw new ProviderSignInFailed('the answer of the provider was refused', { cause })
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('openId', openIdSettings(app.config).map(settings => ({ ...settings, ...createFlow(app, settings) })))
}, { name: 'open-id', dependencies: ['provider-states'] })
