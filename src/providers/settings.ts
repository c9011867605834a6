import type { Config } from '../config.ts'
import type { OAuthProvider, Provider, ProviderSettings } from './providers.ts'

/** The settings of a provider that is found by discovery. */
export interface OpenIdSettings extends Provider {
  /** Its settings begin with this, such as PROVIDER_GITLAB. */
  prefix: string
  issuer: string
  clientId: string
  clientSecret: string
  redirectUri: string
  scope: string[]
  /** Outside production. */
  allowsHttp: boolean
}

const callbackOf = (path: string, config: Config) => new URL(`/api/auth/${path}/callback`, config.PUBLIC_URL).href

/** Returns `undefined` if the provider has no client id and so is not configured, or is found by discovery. */
export function providerSettings (config: Config, { key, path }: OAuthProvider): ProviderSettings | undefined {
  const prefix = key === 'provider_a' ? 'PROVIDER_A' : 'PROVIDER_B'
  if (!config[`${prefix}_CLIENT_ID`] || (key === 'provider_a' && config.PROVIDER_A_ISSUER)) return undefined
  return {
    clientId: config[`${prefix}_CLIENT_ID`],
    clientSecret: config[`${prefix}_CLIENT_SECRET`],
    redirectUri: config[`${prefix}_REDIRECT_URI`] || callbackOf(path, config),
    scope: config[`${prefix}_SCOPE`].split(' '),
    authorizeUrl: new URL(config[`${prefix}_AUTHORIZE_URL`]),
    tokenUrl: new URL(config[`${prefix}_TOKEN_URL`]),
    userinfoUrl: config[`${prefix}_USERINFO_URL`],
    emailsUrl: config.PROVIDER_B_EMAILS_URL,
  }
}

/** The providers that are found by discovery: provider A if it has an issuer, and those in PROVIDERS. */
export function openIdSettings (config: Config): OpenIdSettings[] {
  const allowsHttp = config.NODE_ENV !== 'production'
  const listed = config.openIdProviders.map(({ name, prefix, issuer, clientId, clientSecret, scope }) => ({
    key: name,
    prefix,
    path: name,
    issuer,
    clientId,
    clientSecret,
    redirectUri: callbackOf(name, config),
    scope: scopes(scope),
    allowsHttp,
  }))
  if (!config.PROVIDER_A_CLIENT_ID || !config.PROVIDER_A_ISSUER) return listed
  return [{
    key: 'provider_a',
    path: 'provider-a',
    prefix: 'PROVIDER_A',
    issuer: config.PROVIDER_A_ISSUER,
    clientId: config.PROVIDER_A_CLIENT_ID,
    clientSecret: config.PROVIDER_A_CLIENT_SECRET,
    redirectUri: config.PROVIDER_A_REDIRECT_URI || callbackOf('provider-a', config),
    scope: scopes(config.PROVIDER_A_SCOPE),
    allowsHttp,
  }, ...listed]
}

/** Without `openid` there is no ID token. */
const scopes = (scope: string) => [...new Set(['openid', ...scope.split(/[\s,]+/).filter(Boolean)])]
