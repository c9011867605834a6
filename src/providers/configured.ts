import { isIP } from 'node:net'
import type { Config } from '../config.ts'

const KNOWN = {
  google: 'Google',
  github: 'GitHub',
  gitlab: 'GitLab',
  microsoft: 'Microsoft',
  apple: 'Apple',
  okta: 'Okta',
  auth0: 'Auth0',
  keycloak: 'Keycloak',
  // The invented ones of the demo.
  nimbatross: 'Nimbatross',
  fernwhistle: 'Fernwhistle',
  mooncrumb: 'Mooncrumb',
}

type Icon = keyof typeof KNOWN | 'other'

const ADDRESSES: Array<[address: RegExp, icon: keyof typeof KNOWN]> = [
  [/^accounts\.google\.com\//, 'google'],
  [/^github\.com\//, 'github'],
  [/^gitlab\.com\//, 'gitlab'],
  [/^login\.microsoftonline\.[a-z]+\//, 'microsoft'],
  [/^appleid\.apple\.com\//, 'apple'],
  [/^[\w-]+\.okta(preview|-emea)?\.com\//, 'okta'],
  [/^[\w.-]+\.auth0\.com\//, 'auth0'],
  [/^[^/]+\/(auth\/)?realms\//, 'keycloak'],
]

interface Labelled {
  /** The issuer or the authorization endpoint. */
  url: string
  /** From the settings, if it is set. */
  name: string
  /** For an IP address or a bare host. */
  fallback: string
}

/** The provider as users know it: the given name, a known one or its host, and the name of its icon. */
export function labelOf ({ url, name, fallback }: Labelled): { name: string, icon: Icon } {
  const { host, hostname, pathname } = new URL(url)
  const [, byAddress] = ADDRESSES.find(([address]) => address.test(host + pathname)) ?? []
  const icon = byAddress ?? iconNamed(fallback.toLowerCase()) ?? iconNamed(name.toLowerCase())
  const ownName = isIP(hostname) || !hostname.includes('.') ? fallback : hostname
  return { name: name || (icon ? KNOWN[icon] : ownName), icon: icon ?? 'other' }
}

/** A name in the settings says enough: a company has GitLab at an address of its own. */
function iconNamed (name: string): keyof typeof KNOWN | undefined {
  if (name === 'entra') return 'microsoft'
  return (Object.keys(KNOWN) as Array<keyof typeof KNOWN>).find(known => known === name)
}

/** A provider that users can choose, as the pages show it. */
interface ConfiguredProvider { key: string, path: string, name: string, icon: string }

/** In the order of the settings. */
export function configuredProviders (config: Config): ConfiguredProvider[] {
  const fixed = (['A', 'B'] as const).filter(letter => config[`PROVIDER_${letter}_CLIENT_ID`]).map(letter => ({
    key: `provider_${letter.toLowerCase()}`,
    path: `provider-${letter.toLowerCase()}`,
    ...labelOf({
      url: (letter === 'A' && config.PROVIDER_A_ISSUER) || config[`PROVIDER_${letter}_AUTHORIZE_URL`],
      name: config[`PROVIDER_${letter}_NAME`],
      fallback: `Provider ${letter}`,
    }),
  }))
  const listed = config.openIdProviders.map(({ name: key, issuer: url, displayName: name }) =>
    ({ key, path: key, ...labelOf({ url, name, fallback: key }) }))
  return [...fixed, ...listed]
}

/** Those with most accounts come first, and equal ones in the order of the settings. `accounts`: by key. */
export const mostUsedFirst = (providers: ConfiguredProvider[], accounts: Map<string, number>) =>
  providers.toSorted((a, b) => (accounts.get(b.key) ?? 0) - (accounts.get(a.key) ?? 0))

/** The provider that a browser used last comes first. The others keep their order. */
export function lastFirst (providers: ConfiguredProvider[], last?: string) {
  const marked = providers.map(provider => ({ ...provider, isLast: provider.path === last }))
  return [...marked.filter(({ isLast }) => isLast), ...marked.filter(({ isLast }) => !isLast)]
}
