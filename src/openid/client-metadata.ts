import { timingSafeEqual } from 'node:crypto'
import type { ClientMetadata, JWK } from 'oidc-provider'
import type { PublicKey } from './application-keys.ts'
import { digest } from '../secrets/digest.ts'
import { hostsOf } from './application-host.ts'
import { COMMAND_LINE } from './command-line.ts'

interface Application {
  id: string
  documentUrl?: string | null
  /** How it registered itself, if it did. */
  registration?: string | null
  name: string
  kind: 'web' | 'public' | 'machine'
  redirectUris: string[]
  postLogoutUris: string[]
  backchannelLogoutUrl: string | null
  /** Whether it may sign users in on another device. */
  device: boolean
  /** Digests. */
  secrets: Buffer[]
  /** Public keys, with which it authenticates instead. */
  keys: PublicKey[]
  resources: string[]
  dpopRequired: boolean
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** Begins the list, so that it is never empty. */
const NO_SECRET = '-'

/** For an application of its own scheme or on a loopback address, the provider accepts any port, and always asks. */
const isNative = ({ kind, redirectUris }: Application) =>
  kind === 'public' && redirectUris.some(uri => !uri.startsWith('https:'))

/** A machine without a resource has no use for tokens: it only introspects those of others. */
function grantTypesOf ({ id, kind, device, redirectUris, resources }: Application) {
  if (id === COMMAND_LINE.id) return [DEVICE_CODE]
  if (kind === 'machine') return resources.length > 0 ? ['client_credentials'] : []
  return [...redirectUris.length > 0 ? ['authorization_code'] : [], ...device ? [DEVICE_CODE] : [], 'refresh_token']
}

/** How it authenticates: with its keys, or with a secret if it has none. */
function authentication ({ kind, keys, secrets }: Application) {
  if (kind === 'public') return { token_endpoint_auth_method: 'none' as const }
  if (keys.length > 0) {
    return { token_endpoint_auth_method: 'private_key_jwt' as const, jwks: { keys: keys as JWK[] } }
  }
  const digests = [NO_SECRET, ...secrets.map(each => each.toString('hex'))]
  return { token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: digests.join(' ') }
}

/** What the provider knows of an application. Never whether it is trusted: metadata may come from the application. */
export function clientMetadata (application: Application): ClientMetadata {
  const { id, documentUrl, name, redirectUris, postLogoutUris, backchannelLogoutUrl, dpopRequired } = application
  const grantTypes = grantTypesOf(application)
  const { registration } = application
  return {
    client_id: documentUrl ?? id,
    // Where only one name is shown: it could have chosen any.
    client_name: registration ? hostsOf(application) : name,
    application_type: isNative(application) ? 'native' : 'web',
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutUris,
    grant_types: grantTypes,
    // For a response type, the package would add the grant type that belongs to it.
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    ...authentication(application),
    dpop_bound_access_tokens: dpopRequired,
    id_token_signed_response_alg: 'ES256',
    ...backchannelLogoutUrl && { backchannel_logout_uri: backchannelLogoutUrl },
  }
}

/** `digests`: as in the metadata. */
export function isSecret (digests: string, secret: string): boolean {
  const given = digest(secret)
  return digests.split(' ').slice(1).some(each => timingSafeEqual(Buffer.from(each, 'hex'), given))
}
