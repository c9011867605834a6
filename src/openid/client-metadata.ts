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
  /** Digests. */
  secrets: Buffer[]
}

/** Begins the list, so that it is never empty. */
const NO_SECRET = '-'

/** For an application of its own scheme or on a loopback address, the provider accepts any port, and always asks. */
const isNative = ({ kind, redirectUris }: Application) =>
  kind === 'public' && redirectUris.some(uri => !uri.startsWith('https:'))

/** What the provider knows of an application. Never whether it is trusted: metadata may come from the application. */
export function clientMetadata (application: Application): ClientMetadata {
  const { id, name, kind, redirectUris, postLogoutUris, backchannelLogoutUrl, secrets } = application
  const signsIn = kind !== 'machine'
  return {
    client_id: id,
    client_name: name,
    application_type: isNative(application) ? 'native' : 'web',
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutUris,
    grant_types: signsIn ? ['authorization_code', 'refresh_token'] : [],
    response_types: signsIn ? ['code'] : [],
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
