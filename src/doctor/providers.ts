import type { Config } from '../config.ts'
import { openIdSettings, providerSettings } from '../providers/settings.ts'
import { PROVIDERS, type OAuthProvider, type ProviderSettings } from '../providers/providers.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { ANSWER_TIMEOUT, findingsFor, type Finding } from './finding.ts'
import { checkDiscovery } from './open-id-providers.ts'
import { checkOfClient, requestAuthorization, type EndpointCheck } from './provider-endpoints.ts'

export const checkProviderA = async (config: Config) => [await checkProvider(config, PROVIDERS.provider_a)]
export const checkProviderB = async (config: Config) => [await checkProvider(config, PROVIDERS.provider_b)]

async function checkProvider (config: Config, provider: OAuthProvider): Promise<Finding> {
  const discovered = openIdSettings(config).find(({ key }) => key === provider.key)
  if (discovered) return checkDiscovery(discovered)
  const { ok, problem } = findingsFor(provider.path)
  const prefix = provider.key.toUpperCase()
  const settings = providerSettings(config, provider)
  if (!settings) return ok('Not configured: no client id is set.')

  const { origin } = new URL(config.PUBLIC_URL)
  const { redirectUri } = settings
  if (new URL(redirectUri).origin !== origin) {
    return problem(
      `The redirect URI is ${redirectUri}, but the cookies are set for ${origin}.`,
      `Set ${prefix}_REDIRECT_URI, here and at the provider, to an address that begins with PUBLIC_URL.`
    )
  }

  const authorization = await requestAuthorization(authorizationUrl(settings))
  if (!authorization.ok) {
    return problem(
      `The authorization endpoint ${authorization.found}.`,
      `Check ${prefix}_AUTHORIZE_URL and ${prefix}_CLIENT_ID. The provider must allow the redirect URI ${redirectUri}.`
    )
  }
  const token = await requestToken(settings)
  if (!token.ok) {
    return problem(`The token endpoint ${token.found}.`, token.clientRejected
      ? `Check ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET.`
      : `Check ${prefix}_TOKEN_URL and that this machine can connect to it.`)
  }
  return ok(`Both endpoints respond and the client is accepted. The redirect URI is ${redirectUri}.`)
}

/** The address that a browser is redirected to. */
function authorizationUrl ({ authorizeUrl, clientId, redirectUri, scope }: ProviderSettings): URL {
  const url = new URL(authorizeUrl)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scope.join(' '),
    state: 'gatehouse-doctor',
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

/** Sends an invalid code. */
async function requestToken (
  { clientId, clientSecret, redirectUri, tokenUrl }: ProviderSettings
): Promise<EndpointCheck> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uri: redirectUri,
    code: 'gatehouse-doctor',
  })
  try {
    const response = await fetch(tokenUrl, {
      method: 'POST',
      body,
      headers: { accept: 'application/json', 'user-agent': 'gatehouse' },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    })
    const { error } = await response.json().catch(() => ({})) as { error?: unknown }
    if (typeof error !== 'string' || !/^[a-z_]+$/.test(error)) {
      return { ok: false, found: `responds with status ${response.status} and no OAuth error code` }
    }
    return checkOfClient(error)
  } catch (error) {
    return { ok: false, found: `cannot be reached: ${reasonOf(error)}` }
  }
}
