import type { OAuth2Namespace } from '@fastify/oauth2'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ProviderSignInFailed, UnknownSignIn } from '../../src/errors.ts'
import { exchangeCode, fetchWithToken } from '../../src/providers/client.ts'
import { providerSettings } from '../../src/providers/settings.ts'
import { PROVIDERS, type Profile, type Provider, type ProviderSettings } from '../../src/providers/providers.ts'
import { digest } from '../../src/tokens/digest.ts'
import { SIGN_IN_TIME, transactionCookie } from './provider-transactions.ts'

declare module 'fastify' {
  interface FastifyInstance { oauth: Record<Provider['key'], SocialProvider> }
}

export interface CallbackQuery { code?: string, state?: string, error?: string }

/** As it is at run time: the plugin asks its OAuth client for the token whenever somebody comes back. */
type Namespace = OAuth2Namespace & { oauth2: { getToken (grant: Record<string, string>): Promise<unknown> } }

export interface SocialProvider {
  /** Where to send the browser. Sets the cookies of this one sign-in. */
  begin (request: FastifyRequest, reply: FastifyReply): Promise<string>
  /** Returns the profile of the person who came back, or throws ProviderSignInFailed. */
  finish (query: CallbackQuery, request: FastifyRequest, reply: FastifyReply): Promise<Profile>
}

/** For everything that we ask the provider when somebody comes back. */
const PROVIDER_TIMEOUT = 5_000

async function connect (app: FastifyInstance, provider: Provider, settings: ProviderSettings): Promise<Namespace> {
  const { key } = provider
  const { clientId, clientSecret, authorizeUrl, tokenUrl, scope, redirectUri } = settings
  const { name: stateCookie, attributes } = transactionCookie(app.config, provider, 'state')
  // Only now: loading it is a tenth of a start, for those who have no provider too.
  const { default: oauth2 } = await import('@fastify/oauth2')
  await app.register(oauth2, {
    name: key,
    scope,
    credentials: {
      client: { id: clientId, secret: clientSecret },
      auth: { authorizeHost: authorizeUrl.origin, authorizePath: authorizeUrl.pathname + authorizeUrl.search, tokenHost: tokenUrl.origin, tokenPath: tokenUrl.pathname },
    },
    callbackUri: redirectUri,
    pkce: 'S256',
    redirectStateCookieName: stateCookie,
    verifierCookieName: transactionCookie(app.config, provider, 'verifier').name,
    cookie: attributes,
  })
  return (app as unknown as Record<Provider['key'], Namespace>)[key]
}

async function createProvider (app: FastifyInstance, provider: Provider): Promise<SocialProvider> {
  const settings = providerSettings(app.config, provider)
  if (!settings) return { begin: refuse, finish: refuse }
  const namespace = await connect(app, provider, settings)
  // The plugin's own client opens a connection for each exchange, and takes a 200 with an error for a token.
  namespace.oauth2.getToken = grant => exchangeCode(settings, grant, AbortSignal.timeout(PROVIDER_TIMEOUT))

  /** Cookies are the browser's to send again; a sign-in that came back once is not taken twice, however it came back. */
  async function useUp (request: FastifyRequest) {
    const { name } = transactionCookie(app.config, provider, 'state')
    const { valid, value } = request.unsignCookie(request.cookies[name] ?? '')
    if (!valid) throw new UnknownSignIn('this browser began no sign-in')
    const { count } = await app.counters.take(`state:${digest(value).toString('base64url')}`, SIGN_IN_TIME * 1_000)
    if (count > 1) throw new UnknownSignIn('this sign-in came back before')
  }

  async function readProfile (request: FastifyRequest, reply: FastifyReply): Promise<Profile> {
    const deadline = AbortSignal.timeout(PROVIDER_TIMEOUT)
    const grant = await namespace.getAccessTokenFromAuthorizationCodeFlow(request, reply) as unknown as { access_token: string }
    return provider.readProfile(fetchWithToken(grant.access_token, deadline), settings as ProviderSettings)
  }

  return {
    begin: (request, reply) => namespace.generateAuthorizationUri(request, reply),

    async finish ({ code, state, error }, request, reply) {
      await useUp(request)
      if (error) throw new ProviderSignInFailed('the provider refused')
      if (!code || !state) throw new ProviderSignInFailed('the provider sent no code')
      return readProfile(request, reply).catch(cause => {
        throw new ProviderSignInFailed('the provider could not be asked', { cause })
      })
    },
  }
}

async function refuse (): Promise<never> {
  throw new UnknownSignIn('this provider is not set up')
}

export default fp(async function (app) {
  app.decorate('oauth', {
    provider_a: await createProvider(app, PROVIDERS.provider_a),
    provider_b: await createProvider(app, PROVIDERS.provider_b),
  })
}, { name: 'oauth', dependencies: ['counters', 'cookies'] })
