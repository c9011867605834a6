import type { AddressRules } from '../webhooks/address.ts'
import { applicationHost } from './application-host.ts'
import { checkSettings, DEFAULT_SETTINGS, type ApplicationSettings } from './application-rules.ts'
import type { PublicKey } from './application-keys.ts'
import { COMMAND_LINE } from './command-line.ts'
import { RefusedApplication } from './errors.ts'
import { RefusedUri, type ApplicationKind } from './redirect-uris.ts'

/** How an application registered itself: with a metadata document, or at the registration endpoint (RFC 7591). */
export type Registration = 'document' | 'dynamic'

export interface SelfDescription extends ApplicationSettings { kind: ApplicationKind }

export interface SelfRules extends AddressRules {
  /** The name of the service, which no application can take. */
  brand: string
}

interface Rules extends SelfRules { registration: Registration }

/** In characters, of all that is stored. */
const MAX_LENGTH = 10_000
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const WITH_SECRET = ['client_secret_basic', 'client_secret_post']
/** The host of the application, by its redirect URI, where it has no name. */
const nameless = (uris: string[]) => applicationHost(uris[0]).slice(0, 100)

const refuse = (reason: string): never => { throw new RefusedApplication(reason) }

function textsIn (value: unknown, name: string): string[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.every(each => typeof each === 'string')
  return isList ? value : refuse(`${name} must be a list of texts.`)
}

/** A scheme of its own has no host (RFC 8252), which could be that of another service. */
function checkSchemes (uris: string[]) {
  const wrong = uris.find(uri => uri.includes('://') && !/^https?:/.test(uri))
  if (wrong) throw new RefusedUri(wrong, 'one slash after the scheme, as in com.example.app:/callback.')
}

/** As a person reads it: without signs, whatever the case. */
const wordsOf = (text: string) =>
  ` ${text.normalize('NFKC').toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u).join(' ').trim()} `

/** Users read it. It must be visible, stay in its line, and not look like the service itself. */
function checkOwnName (name: string, brand: string) {
  if (!/[\p{L}\p{N}]/u.test(name) || /\p{Default_Ignorable_Code_Point}|\p{M}{4}/u.test(name)) {
    refuse('client_name must have a letter or a digit, no invisible characters, and no piles of accents.')
  }
  if ([brand, COMMAND_LINE.name].some(own => wordsOf(name).startsWith(wordsOf(own)))) {
    refuse('client_name must not begin with the name of this service.')
  }
}

function checkTypes ({ grant_types: grants, response_types: responses }: Record<string, unknown>) {
  if (textsIn(grants, 'grant_types').some(each => !GRANT_TYPES.includes(each))) {
    refuse(`grant_types can only contain ${GRANT_TYPES.join(' and ')}.`)
  }
  const others = textsIn(responses, 'response_types').filter(each => each !== 'code')
  if (others.length > 0) refuse('response_types can only contain code.')
}

/** The keys of an application that authenticates with them. They are never fetched from elsewhere. */
function keysIn ({ jwks }: Record<string, unknown>): PublicKey[] {
  const { keys } = (jwks ?? {}) as { keys?: unknown }
  const isList = Array.isArray(keys) && keys.length > 0 && keys.every(each => typeof each === 'object' && each !== null)
  return isList ? keys : refuse('private_key_jwt needs the public keys in jwks. A jwks_uri is not read.')
}

/** A document is public, so that it has no secret. What runs on the device of the user can keep none. */
function authentication (metadata: Record<string, unknown>, redirectUris: string[], registration: Registration) {
  const usual = registration === 'document' ? 'none' : 'client_secret_basic'
  const { token_endpoint_auth_method: method = usual } = metadata
  const isOnDevice = redirectUris.some(uri => !uri.startsWith('https:'))
  const accepted = ['none', 'private_key_jwt', ...registration === 'dynamic' ? WITH_SECRET : []]
  if (!accepted.includes(String(method))) refuse(`token_endpoint_auth_method must be one of ${accepted.join(', ')}.`)
  if (method === 'none' || isOnDevice) return { kind: 'public' as const, keys: [] }
  return { kind: 'web' as const, keys: method === 'private_key_jwt' ? keysIn(metadata) : [] }
}

/**
 * What an application says of itself: only what is listed here is read. It cannot make itself trusted, get tokens
 * without a user, sign in other devices, name an address that the service calls, or one to which a sign-out leads.
 * Throws an error with the reason.
 */
export function describeItself (metadata: object, { registration, brand, ...rules }: Rules): SelfDescription {
  const given = metadata as Record<string, unknown>
  checkTypes(given)
  const redirectUris = textsIn(given.redirect_uris, 'redirect_uris')
  checkSchemes(redirectUris)
  const { kind, keys } = authentication(given, redirectUris, registration)
  const { client_name: name = nameless(redirectUris), dpop_bound_access_tokens: dpop = false } = given
  if (typeof name !== 'string') return refuse('client_name must be a text.')
  if (given.client_name !== undefined) checkOwnName(name, brand)
  if (typeof dpop !== 'boolean') refuse('dpop_bound_access_tokens must be a boolean.')
  const settings = checkSettings(kind, {
    ...DEFAULT_SETTINGS,
    name,
    redirectUris,
    keys,
    dpopRequired: dpop as boolean,
  }, { ...rules, available: [] })
  if (JSON.stringify(settings).length > MAX_LENGTH) refuse(`At most ${MAX_LENGTH} characters in all.`)
  return { kind, ...settings }
}
