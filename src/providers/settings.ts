import type { Config } from '../config.ts'
import type { Provider, ProviderSettings } from './providers.ts'

/** Nothing, where no client id is set: the provider is off. */
export function providerSettings (config: Config, { key, path }: Provider): ProviderSettings | undefined {
  const its = key === 'provider_a' ? 'PROVIDER_A' : 'PROVIDER_B'
  if (!config[`${its}_CLIENT_ID`]) return undefined
  return {
    clientId: config[`${its}_CLIENT_ID`],
    clientSecret: config[`${its}_CLIENT_SECRET`],
    redirectUri: config[`${its}_REDIRECT_URI`] || new URL(`/api/auth/${path}/callback`, config.PUBLIC_URL).href,
    scope: config[`${its}_SCOPE`].split(' '),
    authorizeUrl: new URL(config[`${its}_AUTHORIZE_URL`]),
    tokenUrl: new URL(config[`${its}_TOKEN_URL`]),
    userinfoUrl: config[`${its}_USERINFO_URL`],
    emailsUrl: config.PROVIDER_B_EMAILS_URL,
  }
}
