type Environment = Record<string, string | undefined>

export interface ResourceScope {
  name: string
  /** For the page that asks for consent. Empty: its name is shown. */
  description: string
}

/** One of OPENID_RESOURCES: an API for which applications get tokens. */
export interface Resource {
  name: string
  /** Its settings begin with this, such as OPENID_RESOURCE_ORDERS. */
  prefix: string
  /** How requests and tokens name it. */
  uri: string
  /** For the page that asks for consent. */
  description: string
  scopes: ResourceScope[]
  /** `jwt`: the resource verifies them itself. `opaque`: it asks for each, and a sign-out takes effect at once. */
  tokens: string
  /** `on`: also for applications that registered themselves. */
  open: string
}

/** Those of OpenID Connect. All others belong to a resource. */
export const OPENID_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

const namesIn = (list = '') => list.split(',').map(name => name.trim()).filter(Boolean)

/** Such as `orders:read=See your orders; orders:write=Change your orders`. */
function scopesIn (list: string): ResourceScope[] {
  return list.split(';').map(each => each.trim()).filter(Boolean).map(each => {
    const [name = '', ...description] = each.split('=')
    return { name: name.trim(), description: description.join('=').trim() }
  })
}

export function readResources (env: Environment): Resource[] {
  return namesIn(env.OPENID_RESOURCES).map(name => {
    const prefix = `OPENID_RESOURCE_${name.toUpperCase().replaceAll('-', '_')}`
    const read = (part: string) => env[`${prefix}_${part}`] ?? ''
    return {
      name,
      prefix,
      uri: read('URI'),
      description: read('DESCRIPTION'),
      scopes: scopesIn(read('SCOPES')),
      tokens: read('TOKENS') || 'jwt',
      open: read('OPEN') || 'off',
    }
  })
}
