import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { discover } from '../providers/discovery.ts'
import { openIdSettings, type OpenIdSettings } from '../providers/settings.ts'
import { findingsFor, type Finding } from './finding.ts'

/** Those in PROVIDERS. */
export async function checkOpenIdProviders (config: Config): Promise<Finding[]> {
  return Promise.all(openIdSettings(config).filter(({ key }) => key !== 'provider_a').map(checkDiscovery))
}

export async function checkDiscovery (settings: OpenIdSettings): Promise<Finding> {
  const { ok, problem } = findingsFor(settings.path)
  try {
    await discover(settings)
  } catch (error) {
    return problem(
      `The discovery of ${settings.issuer} failed: ${reasonOf(error)}.`,
      'Check the issuer, and that this machine can connect to it. Until then, sign-in through it responds with 503.'
    )
  }
  return ok(`Found by discovery. The redirect URI is ${settings.redirectUri}.`)
}
