import type { OAuth2Namespace } from '@fastify/oauth2'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { exchangeCode, fetchWithToken } from '../../src/providers/client.ts'
import { ProviderSignInFailed, UnknownSignIn } from '../../src/providers/errors.ts'
import type { ProvenProfile } from '../../src/providers/profile.ts'
import { PROVIDERS, type OAuthProvider, type ProviderSettings } from '../../src/providers/providers.ts'
import { refusalIn } from '../../src/providers/refusal.ts'
import { providerSettings } from '../../src/providers/settings.ts'

declare module 'fastify' {
  /** Providers A and B, by OAuth 2. */
  interface FastifyInstance { oauth: Record<OAuthProvider['key'], ProviderFlow> }
}

export interface CallbackQuery { code?: string, state?: string, error?: string, error_description?: string }

export interface ProviderFlow {
  /** The address of the sign-in page. Sets the cookies of this sign-in. `signInAgain`: the provider must ask. */
  begin (request: FastifyRequest, reply: FastifyReply, options?: { signInAgain?: boolean }): Promise<string>
  /** The profile of the user who came back from the provider, or ProviderSignInFailed. */
  finish (query: CallbackQuery, request: FastifyRequest, reply: FastifyReply): Promise<ProvenProfile>
}

/** For all requests to the provider during a callback. */
const PROVIDER_TIMEOUT = 5_000

/** @fastify/oauth2 creates state and PKCE verifier and builds the address. */
async function connect (app: FastifyInstance, provider: OAuthProvider, settings: ProviderSettings) {
  const { clientId, clientSecret, authorizeUrl, tokenUrl, scope, redirectUri } = settings
  // Loaded here, because it takes a tenth of the start, also where no provider is configured.
  const { default: oauth2 } = await import('@fastify/oauth2')
  await app.register(oauth2, {
    name: provider.key,
    scope,
    credentials: {
      client: { id: clientId, secret: clientSecret },
      auth: {
        authorizeHost: authorizeUrl.origin,
        authorizePath: authorizeUrl.pathname + authorizeUrl.search,
        tokenHost: tokenUrl.origin,
        tokenPath: tokenUrl.pathname,
      },
    },
    callbackUri: redirectUri,
    pkce: 'S256',
    redirectStateCookieName: 'state',
    verifierCookieName: 'verifier',
  })
  return (app as unknown as Record<OAuthProvider['key'], OAuth2Namespace>)[provider.key]
}

async function createFlow (app: FastifyInstance, provider: OAuthProvider): Promise<ProviderFlow> {
  const settings = providerSettings(app.config, provider)
  if (!settings) return { begin: refuse, finish: refuse }
  const { providerStates } = app
  const { redirectUri } = settings
  const plugin = await connect(app, provider, settings)

  /** Not by the plugin: CONTRIBUTING.md says why. */
  async function readProfile (code: string, verifier: string): Promise<ProvenProfile> {
    const timeout = AbortSignal.timeout(PROVIDER_TIMEOUT)
    const grant = { code, redirect_uri: redirectUri, code_verifier: verifier }
    const { token, authTime } = await exchangeCode(settings as ProviderSettings, grant, timeout)
    const profile = await provider.readProfile(fetchWithToken(token, timeout), settings as ProviderSettings)
    return { ...profile, authTime }
  }

  return {
    async begin (request, reply, { signInAgain = false } = {}) {
      // The plugin would sign the values without the names of their cookies. It uses nothing else of a reply.
      const cookies = {
        setCookie: (part: 'state' | 'verifier', value: string) => providerStates.keep(provider, part, value, reply),
      }
      const address = await plugin.generateAuthorizationUri(request, cookies as unknown as FastifyReply)
      return signInAgain ? withNewSignIn(address, provider) : address
    },

    async finish (query, request, reply) {
      const { code, state, error } = query
      const { verifier } = await providerStates.use(provider, state, request, reply)
      if (error) throw new ProviderSignInFailed('the provider refused', { refusal: refusalIn(query, [state ?? '']) })
      if (!code) throw new ProviderSignInFailed('the provider sent no code')
      return readProfile(code, verifier).catch(cause => {
        if (cause instanceof ProviderSignInFailed) throw cause
        throw new ProviderSignInFailed('the provider could not be asked', { cause })
      })
    },
  }
}

/** Providers that know these parameters of OpenID Connect ask for a sign-in, and tell when it was. */
function withNewSignIn (address: string, { key }: OAuthProvider): string {
  const url = new URL(address)
  const scopes = url.searchParams.get('scope')?.split(' ') ?? []
  // Only an ID token tells the time of the sign-in.
  if (key === 'provider_a') url.searchParams.set('scope', [...new Set(['openid', ...scopes])].join(' '))
  url.searchParams.set('prompt', 'login')
  url.searchParams.set('max_age', '0')
  return url.href
}

async function refuse (): Promise<never> {
  throw new UnknownSignIn('this provider is not set up')
}

export default fp(async function (app) {
  app.decorate('oauth', {
    provider_a: await createFlow(app, PROVIDERS.provider_a),
    provider_b: await createFlow(app, PROVIDERS.provider_b),
  })
}, { name: 'oauth', dependencies: ['cookies', 'provider-states'] })
