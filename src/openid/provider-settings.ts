import type { AsymmetricSigningAlgorithm as Algorithm, Configuration, ResourceServer } from 'oidc-provider'
import { OPENID_SCOPES } from '../settings/openid-resources.ts'
import type { TokenClaim } from '../settings/token-claims.ts'
import { COMMAND_LINE } from './command-line.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** With which applications sign: to authenticate, and to prove that a token is theirs. */
const KEY_ALGORITHMS: Algorithm[] = ['ES256', 'Ed25519', 'EdDSA', 'PS256', 'RS256']

/** Tokens that a resource verifies itself cannot be ended before they expire. */
export const JWT_LIFETIME = 5 * MINUTE
/** For all other access tokens. */
export const OPAQUE_LIFETIME = 15 * MINUTE

/** The level of a proof: `aal2` with a second factor. */
export const levelOf = (amr: string[]): 'aal1' | 'aal2' => amr.includes('mfa') ? 'aal2' : 'aal1'

/** Whether these `acr_values` ask for a second factor. The first is what the application would like best. */
export function asksForSecondFactor (acrValues: unknown): boolean {
  const wanted = String(acrValues ?? '').split(' ')
  return wanted.includes('aal2') && wanted[0] !== 'aal1'
}

/** Begins the tokens of machines. */
export const MACHINE_TOKEN = 'machine_'

interface IssuedToken { clientId?: string, resourceServer?: ResourceServer }

function lifetimeOf (_ctx: unknown, { clientId, resourceServer }: IssuedToken): number {
  if (clientId === COMMAND_LINE.id) return COMMAND_LINE.lifetime
  return resourceServer?.accessTokenTTL ?? OPAQUE_LIFETIME
}

export const COOKIES = { session: 'oidc_session', interaction: 'oidc_interaction', resume: 'oidc_resume' }

/** What does not depend on the service: endpoints, features and lifetimes. */
export const PROVIDER_SETTINGS = {
  routes: {
    authorization: '/oidc/auth',
    code_verification: '/oidc/device',
    device_authorization: '/oidc/device/auth',
    end_session: '/oidc/logout',
    introspection: '/oidc/introspect',
    jwks: '/.well-known/jwks.json',
    pushed_authorization_request: '/oidc/par',
    registration: '/oidc/register',
    revocation: '/oidc/revoke',
    token: '/oidc/token',
    userinfo: '/oidc/userinfo',
  },
  scopes: [...OPENID_SCOPES],
  claims: {
    openid: ['sub', 'sid', 'auth_time', 'amr', 'acr'],
    profile: ['name', 'preferred_username', 'locale', 'zoneinfo'],
    email: ['email', 'email_verified'],
  },
  acrValues: ['aal1', 'aal2'],
  responseTypes: ['code'],
  subjectTypes: ['public'],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
  enabledJWA: {
    clientAuthSigningAlgValues: KEY_ALGORITHMS,
    dPoPSigningAlgValues: KEY_ALGORITHMS,
    idTokenSigningAlgValues: ['ES256'],
  },
  // Products that read only the ID token find the claims of all scopes in it.
  conformIdTokenClaims: false,
  // The storage asks for the session at each use.
  expiresWithSession: () => false,
  rotateRefreshToken: true,
  allowOmittingSingleRegisteredRedirectUri: false,
  // Requests by POST from other sites come without the cookies: the route turns them into navigations.
  enableHttpPostMethods: false,
  ttl: {
    AccessToken: lifetimeOf,
    AuthorizationCode: MINUTE,
    ClientCredentials: lifetimeOf,
    DeviceCode: 10 * MINUTE,
    Grant: 90 * DAY,
    IdToken: HOUR,
    Interaction: HOUR,
    PushedAuthorizationRequest: MINUTE,
    RefreshToken: 90 * DAY,
    Session: HOUR,
  },
} satisfies Configuration

/** The scopes and their claims, with those of TOKEN_CLAIMS. */
export function withTokenClaims (added: TokenClaim[]): { scopes: string[], claims: Record<string, string[]> } {
  const claims: Record<string, string[]> = { ...PROVIDER_SETTINGS.claims }
  for (const { name, scope } of added) if (scope) claims[scope] = [...claims[scope] ?? [], name]
  return { scopes: [...new Set([...PROVIDER_SETTINGS.scopes, ...Object.keys(claims)])], claims }
}
