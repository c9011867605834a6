import { issuerRules } from './open-id-rules.ts'
import type { Config } from './schema.ts'
import { isHttp, isHttps } from './urls.ts'

const URLS = ['AUTHORIZE_URL', 'TOKEN_URL', 'USERINFO_URL', 'EMAILS_URL', 'REDIRECT_URI']

/** A provider without a client id is off: its other settings are not used, and not checked. */
export function providerRules (
  provider: 'PROVIDER_A' | 'PROVIDER_B',
  config: Config
): Array<[broken: boolean, line: string]> {
  if (!config[`${provider}_CLIENT_ID`]) return []
  const [isValid, advice] = config.NODE_ENV === 'production'
    ? [isHttps, 'must be an https:// URL: codes, tokens and the client secret must not be sent unencrypted.']
    : [isHttp, 'must be a complete URL, such as https://provider.example.com/path.']
  const names = URLS.map(name => `${provider}_${name}`)
  const urls = Object.entries(config).filter(([name, value]) => value && names.includes(name))
  const issuer = provider === 'PROVIDER_A' ? config.PROVIDER_A_ISSUER : ''
  return [
    [
      !config[`${provider}_CLIENT_SECRET`],
      `${provider}_CLIENT_SECRET is missing: set the secret of ${provider}_CLIENT_ID, or remove the client ID ` +
      'to turn the provider off.',
    ],
    ...urls.map(([name, value]) => [!isValid(String(value)), `${name} ${advice}`] as [boolean, string]),
    ...(issuer ? issuerRules('PROVIDER_A_ISSUER', issuer, config) : []),
  ]
}
