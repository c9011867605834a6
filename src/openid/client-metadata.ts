import { timingSafeEqual } from 'node:crypto'
import type { ClientMetadata } from 'oidc-provider'
import { digest } from '../secrets/digest.ts'

interface Application {
  id: string
  name: string
  kind: 'web' | 'public' | 'machine'
  redirectUris: string[]
  postLogoutUris: string[]
  backchannelLogoutUrl: string | null
  /** Whether it may sign users in on another device. */
  device: boolean
  /** Digests. */
  secrets: Buffer[]
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** Begins the list, so that it is never empty. */
const NO_SECRET = '-'

/** For an application of its own scheme or on a loopback address, the provider accepts any port, and always asks. */
const isNative = ({ kind, redirectUris }: Application) =>
  kind === 'public' && redirectUris.some(uri => !uri.startsWith('https:'))

/** What the provider knows of an application. Never whether it is trusted: metadata may come from the application. */
export function clientMetadata (application: Application): ClientMetadata {
  const { id, name, kind, redirectUris, postLogoutUris, backchannelLogoutUrl, device, secrets } = application
  const signsIn = kind !== 'machine'
  const byRedirect = redirectUris.length > 0
  return {
    client_id: id,
    client_name: name,
    application_type: isNative(application) ? 'native' : 'web',
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutUris,
    grant_types: [
      ...byRedirect ? ['authorization_code'] : [], ...device ? [DEVICE_CODE] : [], ...signsIn ? ['refresh_token'] : [],
    ],
    response_types: byRedirect ? ['code'] : [],
    token_endpoint_auth_method: kind === 'public' ? 'none' : 'client_secret_basic',
    ...kind !== 'public' && { client_secret: [NO_SECRET, ...secrets.map(each => each.toString('hex'))].join(' ') },
    id_token_signed_response_alg: 'ES256',
    ...backchannelLogoutUrl && { backchannel_logout_uri: backchannelLogoutUrl },
  }
}

/** `digests`: as in the metadata. */
export function isSecret (digests: string, secret: string): boolean {
  const given = digest(secret)
  return digests.split(' ').slice(1).some(each => timingSafeEqual(Buffer.from(each, 'hex'), given))
}
