import type { Config } from '../config.ts'
import type { Provider, ProviderSettings } from './providers.ts'

/** Returns `undefined` if the provider has no client id and so is not configured. */
export function providerSettings (config: Config, { key, path }: Provider): ProviderSettings | undefined {
  const prefix = key === 'provider_a' ? 'PROVIDER_A' : 'PROVIDER_B'
  if (!config[`${prefix}_CLIENT_ID`]) return undefined
  return {
    clientId: config[`${prefix}_CLIENT_ID`],
    clientSecret: config[`${prefix}_CLIENT_SECRET`],
    redirectUri: config[`${prefix}_REDIRECT_URI`] || new URL(`/api/auth/${path}/callback`, config.PUBLIC_URL).href,
    scope: config[`${prefix}_SCOPE`].split(' '),
    authorizeUrl: new URL(config[`${prefix}_AUTHORIZE_URL`]),
    tokenUrl: new URL(config[`${prefix}_TOKEN_URL`]),
    userinfoUrl: config[`${prefix}_USERINFO_URL`],
    emailsUrl: config.PROVIDER_B_EMAILS_URL,
  }
}
