import type { ServerMetadata } from 'openid-client'
import { ProviderUnavailable } from './errors.ts'
import type { OpenIdSettings } from './settings.ts'

/** In seconds. */
const TIMEOUT = 5
const HOUR = 3_600_000

/** What the provider says about itself at /.well-known/openid-configuration. */
export async function discover ({ issuer, clientId, allowsHttp }: OpenIdSettings): Promise<ServerMetadata> {
  // Loaded here, so that a service without such a provider starts faster.
  const { allowInsecureRequests, discovery } = await import('openid-client')
  const options = { execute: allowsHttp ? [allowInsecureRequests] : [], timeout: TIMEOUT }
  const found = await discovery(new URL(issuer), clientId, undefined, undefined, options)
  const metadata: ServerMetadata = { ...found.serverMetadata() }
  // The library leaves this check out for Entra ID.
  if (new URL(metadata.issuer).href !== new URL(issuer).href) throw new Error('the provider has another issuer')
  return metadata
}

/**
 * Asks at the first use, and again after an hour. One question at a time, whatever the number of requests.
 * Throws ProviderUnavailable until the provider has answered once.
 */
export function createDiscovery (settings: OpenIdSettings): () => Promise<ServerMetadata> {
  let known: ServerMetadata | undefined
  let askedAt = 0
  let asking: Promise<ServerMetadata> | undefined

  return async function metadata () {
    if (known && Date.now() - askedAt < HOUR) return known
    asking ??= discover(settings).finally(() => {
      asking = undefined
      askedAt = Date.now()
    })
    try {
      known = await asking
    } catch (error) {
      if (!known) throw new ProviderUnavailable(error)
    }
    return known
  }
}
