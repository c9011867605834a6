import type { Config } from './schema.ts'
import type { OpenIdProvider } from './open-id-providers.ts'
import { isHttp, isHttps } from './urls.ts'

type Rule = [broken: boolean, line: string]

const NAME = /^[a-z](-?[a-z0-9]){0,29}$/

/** Names of other routes below /api/auth, of other settings, and of other ways to sign in. */
export const RESERVED = [
  'a', 'account', 'admin', 'applications', 'b', 'callback', 'device', 'email', 'events', 'export', 'factors',
  'language', 'login', 'logout', 'me', 'passkey', 'password', 'provider-a', 'provider-b', 'providers',
  'reauthenticate', 'recovery', 'refresh', 'register', 'session', 'sessions', 'token', 'totp', 'verify',
]

/** Entra ID: users of every tenant could sign in, and each tenant decides itself which addresses it gives out. */
const ANY_TENANT = /^https:\/\/login\.microsoftonline\.[^/]+\/(common|organizations|consumers)(\/|$)/

export function issuerRules (setting: string, issuer: string, { NODE_ENV }: Config): Rule[] {
  const isComplete = (NODE_ENV === 'production' ? isHttps : isHttp)(issuer) && !/[?#]|\/\.well-known\//.test(issuer)
  return [
    [
      !isComplete,
      `${setting} must be the https:// URL of the issuer, such as https://accounts.example.com.`,
    ],
    [ANY_TENANT.test(issuer), `${setting} must name your own tenant: users of every tenant could sign in.`],
  ]
}

export function openIdRules (config: Config): Rule[] {
  const all = config.openIdProviders
  return all.flatMap((provider, index): Rule[] => {
    const { name } = provider
    const first = all.findIndex(other => other.name === name)
    if (!NAME.test(name)) {
      return [[true, `PROVIDERS contains "${name}": a name has at most 30 lower-case letters, digits and hyphens.`]]
    }
    if (RESERVED.includes(name)) return [[true, `PROVIDERS contains "${name}", which is reserved: use another name.`]]
    if (first < index) return [[true, `PROVIDERS contains "${name}" twice: remove one of them.`]]
    return providerRules(provider, config)
  })
}

function providerRules ({ name, prefix, issuer, clientId, clientSecret }: OpenIdProvider, config: Config): Rule[] {
  const missing = (part: string, value: string, what: string): Rule =>
    [!value, `${prefix}_${part} is missing: set ${what}, or remove ${name} from PROVIDERS.`]
  return [
    missing('ISSUER', issuer, 'the issuer of the provider, such as https://accounts.example.com'),
    ...(issuer ? issuerRules(`${prefix}_ISSUER`, issuer, config) : []),
    missing('CLIENT_ID', clientId, 'the client ID'),
    missing('CLIENT_SECRET', clientSecret, 'the secret of the client ID'),
  ]
}
