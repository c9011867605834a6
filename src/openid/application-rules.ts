import { checkUrl, RefusedAddress, type AddressRules } from '../webhooks/address.ts'
import type { Resource } from '../settings/openid-resources.ts'
import { checkKeys, type PublicKey } from './application-keys.ts'
import { RefusedApplication } from './errors.ts'
import { checkUris, type ApplicationKind } from './redirect-uris.ts'

/** What an operator sets of an application. */
export interface ApplicationSettings {
  name: string
  redirectUris: string[]
  postLogoutUris: string[]
  backchannelLogoutUrl: string | null
  /** Needs no consent of the user. */
  trusted: boolean
  /** It may sign users in on another device: RFC 8628. */
  device: boolean
  /** A confidential client that cannot send PKCE. */
  pkceOptional: boolean
  /** What it may ask tokens for: each the URI of a resource, and after it the scopes. Without scopes, all of them. */
  resources: string[]
  /** The resource that it is: it may introspect the tokens for it, and no others. */
  serves: string | null
  /** Public keys, with which it authenticates instead of a secret. Two while one replaces the other. */
  keys: PublicKey[]
  /** Whether its tokens must be bound to a key: `dpop_bound_access_tokens`. */
  dpopRequired: boolean
}

export const DEFAULT_SETTINGS: Omit<ApplicationSettings, 'name'> = {
  redirectUris: [],
  postLogoutUris: [],
  backchannelLogoutUrl: null,
  trusted: false,
  pkceOptional: false,
  resources: [],
  serves: null,
  keys: [],
  dpopRequired: false,
  device: false,
}

/** What decides whether settings are accepted. */
interface ApplicationRules extends AddressRules {
  /** Those of OPENID_RESOURCES. */
  available: Resource[]
}

/** Users read it on the page that asks for their consent. */
function checkName (text: string): string {
  const name = text.trim()
  if (!name || name.length > 100 || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new RefusedApplication('The name must have 1 to 100 characters, without control characters.')
  }
  return name
}

function checkLogoutUrl (url: string, rules: AddressRules): string {
  try {
    return checkUrl(url, rules).href
  } catch (error) {
    throw error instanceof RefusedAddress ? new RefusedAddress(`Back-channel logout: ${error.message}`) : error
  }
}

/** One of those that the settings of the service name. */
function findResource (uri: string, available: Resource[]): Resource {
  const resource = available.find(each => each.uri === uri)
  if (resource) return resource
  const known = available.map(each => each.uri).join(', ') || 'there are none'
  throw new RefusedApplication(`"${uri}" is no resource. Choose one of OPENID_RESOURCES: ${known}.`)
}

function checkResource (line: string, available: Resource[]): string {
  const [uri = '', ...scopes] = line.trim().split(/\s+/)
  const resource = findResource(uri, available)
  const names = resource.scopes.map(({ name }) => name)
  const unknown = scopes.find(scope => !names.includes(scope))
  if (unknown) throw new RefusedApplication(`"${unknown}" is no scope of ${uri}. It has ${names.join(', ')}.`)
  return [uri, ...new Set(scopes)].join(' ')
}

function checkResources (lines: string[], available: Resource[]): string[] {
  const checked = lines.map(line => checkResource(line, available))
  const uris = checked.map(line => line.split(' ')[0])
  if (new Set(uris).size < uris.length) throw new RefusedApplication('Name each resource once, with all its scopes.')
  return checked
}

/** What an application of this kind may not have. */
function checkKind (kind: ApplicationKind, settings: Partial<ApplicationSettings>) {
  const { redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional, serves, keys, device } = settings
  if (kind === 'machine') {
    if (redirectUris?.length || postLogoutUris?.length || backchannelLogoutUrl || trusted || device) {
      throw new RefusedApplication(
        'A machine signs no user in: it has no redirect, post-logout and back-channel logout URLs, and is not trusted.')
    }
  } else if (redirectUris?.length === 0 && !device) {
    throw new RefusedApplication('The application needs at least one redirect URI, unless it is for other devices.')
  }
  if (pkceOptional && kind !== 'web') throw new RefusedApplication('Only a web application can go without PKCE.')
  if (serves && kind !== 'machine') throw new RefusedApplication('Only a machine is a resource.')
  if (keys?.length && kind === 'public') throw new RefusedApplication('A public application cannot keep a key secret.')
}

/** The settings as they are stored; those that are undefined stay so. Throws an error that says what is wrong. */
export function checkSettings<Settings extends Partial<ApplicationSettings>> (
  kind: ApplicationKind,
  settings: Settings,
  rules: ApplicationRules
): Settings {
  checkKind(kind, settings)
  const { name, redirectUris, postLogoutUris, backchannelLogoutUrl, resources, serves, keys } = settings
  const uriRules = { kind, production: rules.production }
  return {
    ...settings,
    ...(name !== undefined && { name: checkName(name) }),
    ...(redirectUris && { redirectUris: checkUris(redirectUris, uriRules) }),
    ...(postLogoutUris && { postLogoutUris: checkUris(postLogoutUris, uriRules) }),
    ...(backchannelLogoutUrl && { backchannelLogoutUrl: checkLogoutUrl(backchannelLogoutUrl, rules) }),
    ...(resources && { resources: checkResources(resources, rules.available) }),
    ...(serves && { serves: findResource(serves, rules.available).uri }),
    ...(keys && { keys: checkKeys(keys) }),
  }
}
