import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import { digest } from '../secrets/digest.ts'
import { profileOf, type ProvenProfile } from './profile.ts'
import type { OpenIdSettings } from './settings.ts'

interface Begun { state: string, verifier: string }

/** For all requests to the provider during a callback. */
const TIMEOUT = 5_000

/** Only the browser that began has the verifier, in a cookie. */
const nonceOf = (verifier: string) => digest(`nonce ${verifier}`).toString('base64url')

/** The address of the provider's sign-in page. */
export async function authorizationUrl (
  metadata: ServerMetadata,
  settings: OpenIdSettings,
  { state, verifier }: Begun,
  signInAgain: boolean
): Promise<string> {
  const { buildAuthorizationUrl } = await import('openid-client')
  return buildAuthorizationUrl(await configure(metadata, settings), {
    redirect_uri: settings.redirectUri,
    scope: settings.scope.join(' '),
    state,
    nonce: nonceOf(verifier),
    code_challenge: digest(verifier).toString('base64url'),
    code_challenge_method: 'S256',
    ...(signInAgain && { prompt: 'login', max_age: '0' }),
  }).href
}

/**
 * The user who came back with this query. The library checks state, `iss` (RFC 9207), and of the ID token the issuer,
 * audience, nonce, times and signature.
 */
export async function readCallback (
  metadata: ServerMetadata,
  settings: OpenIdSettings,
  { state, verifier }: Begun,
  query: string
): Promise<ProvenProfile> {
  const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client')
  const config = await configure(metadata, settings)
  const url = new URL(settings.redirectUri)
  url.search = query
  const tokens = await authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonceOf(verifier),
    pkceCodeVerifier: verifier,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('the provider sent no ID token')
  const authTime = claims.auth_time
  // Address and proof must come from the same place.
  if (claims.email !== undefined || !metadata.userinfo_endpoint) {
    return { ...profileOf(claims, settings.issuer), authTime }
  }
  return { ...profileOf(await fetchUserInfo(config, tokens.access_token, claims.sub)), authTime }
}

/**
 * Anew for each request: the library keeps the keys of a configuration for minutes, and this one must not refuse
 * a key that the provider has just begun to use.
 */
async function configure (metadata: ServerMetadata, settings: OpenIdSettings): Promise<Configuration> {
  const client = await import('openid-client')
  const { clientId, clientSecret, allowsHttp } = settings
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const method = methods.includes('client_secret_post') ? client.ClientSecretPost : client.ClientSecretBasic
  const authentication: ClientAuth = method(clientSecret)
  const config = new client.Configuration(metadata, clientId, undefined, authentication)
  client.enableNonRepudiationChecks(config)
  if (allowsHttp) client.allowInsecureRequests(config)
  const signal = AbortSignal.timeout(TIMEOUT)
  config[client.customFetch] = ((address, options) => fetch(address, { ...options, signal } as RequestInit)
  ) as CustomFetch
  return config
}
