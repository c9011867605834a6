import type { OAuth2Namespace } from '@fastify/oauth2'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../src/digest.ts'
import { askAs, exchangeCode } from '../src/provider-client.ts'
import { providerSettings, type ProviderSettings } from '../src/provider-settings.ts'
import { PROVIDERS, type Profile, type Provider } from '../src/providers.ts'

declare module 'fastify' {
  interface FastifyInstance { oauth: Record<Provider['key'], SocialProvider> }
}

export interface CallbackQuery { code?: string, state?: string, error?: string }

/** As it is at run time: the plugin asks its OAuth client for the token whenever somebody comes back. */
type Namespace = OAuth2Namespace & { oauth2: { getToken (grant: Record<string, string>): Promise<unknown> } }

export interface SocialProvider {
  /** Where to send the browser. Sets the cookies of this one sign-in. */
  begin (request: FastifyRequest, reply: FastifyReply): Promise<string>
  /** Who came back. Throws where the provider, the browser or the network did not do their part. */
  finish (query: CallbackQuery, request: FastifyRequest, reply: FastifyReply): Promise<Profile>
}

/** Nobody began this sign-in here, or it is over: not worth a record, which anybody could fill. */
export class UnknownSignIn extends Error {}

/** From the click on our page to the way back. */
const SIGN_IN_TIME = 10 * 60
/** For everything that we ask the provider when somebody comes back. */
const PROVIDER_TIMEOUT = 5_000

async function connect (app: FastifyInstance, { key, path }: Provider, settings: ProviderSettings): Promise<Namespace> {
  const { clientId, clientSecret, authorizeUrl, tokenUrl, scope, redirectUri } = settings
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
    redirectStateCookieName: `${key}_state`,
    verifierCookieName: `${key}_verifier`,
    // Lax: the way back is a navigation that another site begins.
    cookie: { httpOnly: true, sameSite: 'lax', secure: app.config.NODE_ENV === 'production', path: `/api/auth/${path}`, maxAge: SIGN_IN_TIME, signed: true },
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
    const { valid, value } = request.unsignCookie(request.cookies[`${provider.key}_state`] ?? '')
    if (!valid) throw new UnknownSignIn('this browser began no sign-in')
    const { count } = await app.cache.counters.take(`state:${digest(value).toString('base64url')}`, SIGN_IN_TIME * 1_000)
    if (count > 1) throw new UnknownSignIn('this sign-in came back before')
  }

  return {
    begin: (request, reply) => namespace.generateAuthorizationUri(request, reply),

    async finish ({ code, state, error }, request, reply) {
      await useUp(request)
      if (error) throw new Error('the provider refused')
      if (!code || !state) throw new Error('the provider sent no code')
      const deadline = AbortSignal.timeout(PROVIDER_TIMEOUT)
      const grant = await namespace.getAccessTokenFromAuthorizationCodeFlow(request, reply) as unknown as { access_token: string }
      return provider.readProfile(askAs(grant.access_token, deadline), settings)
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
}, { name: 'oauth', dependencies: ['cache', 'cookies'] })
