import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { discover } from '../providers/discovery.ts'
import { authorizationUrl, readCallback } from '../providers/open-id.ts'
import { refusalOf } from '../providers/refusal.ts'
import { openIdSettings, type OpenIdSettings } from '../providers/settings.ts'
import { findingsFor, type Finding } from './finding.ts'
import { checkOfClient, requestAuthorization, type EndpointCheck } from './provider-endpoints.ts'

type Metadata = Awaited<ReturnType<typeof discover>>

/** A sign-in that no browser has begun. */
const BEGUN = { state: 'gatehouse-doctor', verifier: 'gatehouse-doctor-'.repeat(3) }

/** Those in PROVIDERS. */
export async function checkOpenIdProviders (config: Config): Promise<Finding[]> {
  return Promise.all(openIdSettings(config).filter(({ key }) => key !== 'provider_a').map(checkDiscovery))
}

export async function checkDiscovery (settings: OpenIdSettings): Promise<Finding> {
  const { ok, problem } = findingsFor(settings.path)
  const { prefix, redirectUri } = settings
  let metadata: Metadata
  try {
    metadata = await discover(settings)
  } catch (error) {
    return problem(
      `The discovery of ${settings.issuer} failed: ${reasonOf(error)}.`,
      'Check the issuer, and that this machine can connect to it. Until then, sign-in through it responds with 503.'
    )
  }
  const authorization = await requestAuthorization(await authorizationUrl(metadata, settings, BEGUN, false))
  if (!authorization.ok) {
    return problem(
      `The authorization endpoint ${authorization.found}.`,
      `Check ${prefix}_CLIENT_ID. The provider must allow the redirect URI ${redirectUri}.`
    )
  }
  const token = await requestToken(metadata, settings)
  if (!token.ok) {
    return problem(`The token endpoint ${token.found}.`, token.clientRejected
      ? `Check ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET.`
      : 'Check that this machine can connect to it.')
  }
  return ok(`Found by discovery, and the client is accepted. The redirect URI is ${redirectUri}.`)
}

/** Exchanges an invalid code, in the way of a sign-in. */
async function requestToken (metadata: Metadata, settings: OpenIdSettings): Promise<EndpointCheck> {
  const query = new URLSearchParams({ code: 'gatehouse-doctor', state: BEGUN.state, iss: metadata.issuer })
  try {
    await readCallback(metadata, settings, BEGUN, `?${query}`)
    return { ok: false, found: 'accepts an invalid code' }
  } catch (error) {
    const refusal = refusalOf(error, [settings.clientSecret])
    if (refusal) return checkOfClient(refusal.error)
    return { ok: false, found: `does not respond as expected: ${reasonOf(error)}` }
  }
}
