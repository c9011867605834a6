import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { configuredProviders } from '../../src/providers/configured.ts'
import { PROVIDERS, type Provider } from '../../src/providers/providers.ts'
import type { ProviderFlow } from './oauth.ts'

declare module 'fastify' {
  /** Every provider that has routes: A and B always, and those in PROVIDERS. */
  interface FastifyInstance { socialProviders: SocialProvider[] }
}

export interface SocialProvider extends Provider, ProviderFlow {
  /** Whether users can choose it. */
  isConfigured: boolean
}

function createSocialProviders ({ config, oauth, openId }: FastifyInstance): SocialProvider[] {
  const configured = configuredProviders(config).map(({ key }) => key)
  const byOAuth = Object.values(PROVIDERS).filter(({ key }) => !openId.some(each => each.key === key))
  return [...byOAuth.map(({ key, path }) => ({ key, path, ...oauth[key] })), ...openId]
    .map(({ key, path, begin, finish, ...rest }) => ({
      key,
      path,
      begin,
      finish,
      issuer: 'issuer' in rest ? rest.issuer : undefined,
      isConfigured: configured.includes(key),
    }))
}

export default fp(async function (app) {
  app.decorate('socialProviders', createSocialProviders(app))
}, { name: 'social-providers', dependencies: ['oauth', 'open-id'] })
