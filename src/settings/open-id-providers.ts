type Environment = Record<string, string | undefined>

/** One of PROVIDERS, as the environment gives it. */
export interface OpenIdProvider {
  name: string
  /** Its settings begin with this, such as PROVIDER_GITLAB. */
  prefix: string
  issuer: string
  clientId: string
  clientSecret: string
  /** What the button says. */
  displayName: string
  scope: string
}

const namesIn = (list = '') => list.split(',').map(name => name.trim()).filter(Boolean)
const prefixOf = (name: string) => `PROVIDER_${name.toUpperCase().replaceAll('-', '_')}`

export function readOpenIdProviders (env: Environment): OpenIdProvider[] {
  return namesIn(env.PROVIDERS).map(name => {
    const prefix = prefixOf(name)
    const read = (part: string) => env[`${prefix}_${part}`] ?? ''
    return {
      name,
      prefix,
      issuer: read('ISSUER'),
      clientId: read('CLIENT_ID'),
      clientSecret: read('CLIENT_SECRET'),
      displayName: read('NAME'),
      scope: read('SCOPE') || 'openid profile email',
    }
  })
}

/** The settings of PROVIDERS that contain a secret. */
export function openIdSecrets (env: Environment): string[] {
  return namesIn(env.PROVIDERS).map(name => `${prefixOf(name)}_CLIENT_SECRET`)
}
