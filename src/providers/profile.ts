/** A user's data at the provider. `email` is set only if the provider has verified it. */
export interface Profile {
  id: string
  email: string | undefined
  username: string | undefined
  name: string | undefined
}

/** `authTime`: when the user last signed in at the provider, in seconds, if the provider tells it. */
export interface ProvenProfile extends Profile { authTime?: number }

/** A user of a provider with the verified address of an account, to which this user is not linked yet. */
export interface ProviderLink {
  provider: { key: string, issuer?: string }
  profile: { id: string, email: string }
}

/** The claims of OpenID Connect that a profile is read from. `xms_edov` is a claim of Entra ID. */
export interface OpenIdClaims {
  sub?: unknown
  email?: unknown
  email_verified?: unknown
  xms_edov?: unknown
  name?: unknown
}

/** Entra ID sends no `email_verified`. */
const ENTRA_HOSTS = ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn']

/** `issuer`: if the claims come from an ID token of this issuer. */
export function profileOf (claims: OpenIdClaims, issuer?: string): Profile {
  const email = isVerified(claims, issuer) ? parseEmail(claims.email) : undefined
  return {
    id: parseId(claims.sub),
    email,
    username: email?.split('@')[0],
    name: parseText(claims.name, 200),
  }
}

/**
 * In Entra ID, an administrator of a tenant can give any address to a user. `xms_edov` says that the domain of the
 * address was verified by the tenant.
 */
function isVerified ({ email_verified: verified, xms_edov: domainVerified }: OpenIdClaims, issuer?: string): boolean {
  if (verified !== undefined) return verified === true || verified === 'true'
  if (!issuer || !ENTRA_HOSTS.includes(new URL(issuer).hostname)) return false
  return [true, 'true', 1, '1'].some(yes => yes === domainVerified)
}

/** Rejects unusual characters instead of removing them: a cleaned id could equal the id of another user. */
export function parseId (value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(id)) throw new Error('the provider sent no valid id')
  return id
}

/** ASCII only, as at registration: PostgreSQL lower-cases some other letters to ASCII, such as the Kelvin sign to k. */
const EMAIL = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/

export function parseEmail (value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 254 && EMAIL.test(value) ? value : undefined
}

/** Removes control characters, also those of direction, and lone surrogates. Shortens the text to `maxLength`. */
export function parseText (value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const plain = value.toWellFormed().replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '')
  return plain.trim().slice(0, maxLength).toWellFormed() || undefined
}
