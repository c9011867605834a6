import { errors, type KoaContextWithOIDC } from 'oidc-provider'

/** For an assertion with which an application authenticates, whose id is kept for as long. */
const MAX_ASSERTION_LIFETIME = 10 * 60

interface Claims { exp?: unknown, aud?: unknown }

/** What the package does not check: an assertion is for this service alone, and soon expires. */
export async function checkAssertion ({ exp, aud }: Claims): Promise<void> {
  if ([aud].flat().length !== 1) throw new errors.InvalidClientAuth('the assertion must have one audience')
  if (Number(exp) > Date.now() / 1_000 + MAX_ASSERTION_LIFETIME) {
    throw new errors.InvalidClientAuth(`the assertion must expire within ${MAX_ASSERTION_LIFETIME} seconds`)
  }
}

/** How the user proved the identity, and when, for resources: RFC 9470. Machines have no user. */
export function proofOf ({ oidc }: KoaContextWithOIDC, { kind }: { kind: string }) {
  const source = oidc.entities.RefreshToken ?? oidc.entities.AuthorizationCode ?? oidc.entities.DeviceCode
  if (kind !== 'AccessToken' || !source) return undefined
  const { acr, amr, authTime } = source
  return { acr, amr, auth_time: authTime }
}
