import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import type { Configuration } from 'oidc-provider'
import type { Consent } from './consent.ts'
import { createStorage } from './open-id-storage.ts'
import { PAGE_HEADERS, errorPage, type Theme } from './page.ts'
import type { Person } from './people.ts'

const HOUR = 3600

/** Signs the ID tokens. Each start of a provider has a new one. */
export const createKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Sets everything that oidc-provider would otherwise warn about at each start. */
export function configuration (theme: Theme, key: KeyObject): Configuration {
  return {
    adapter: createStorage(),
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), alg: 'ES256' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    // Sessions are not stored, so grants must not depend on them.
    expiresWithSession: () => false,
    ttl: { AccessToken: HOUR, AuthorizationCode: 600, Grant: HOUR, IdToken: HOUR, Interaction: HOUR, Session: HOUR },
    renderError (ctx, { error, error_description: description }) {
      ctx.set(PAGE_HEADERS)
      ctx.body = errorPage(theme, description ?? error)
    },
  }
}

/** Like Google's ids, it has more digits than a JavaScript number can hold. */
export function subjectOf ({ id }: Person): string {
  return String(10n ** 20n + BigInt(id))
}

export function claimsOf ({ person: { name, email }, misbehaviour }: Consent) {
  return {
    ...name && { name },
    ...email && misbehaviour !== 'no-email' && { email, email_verified: misbehaviour !== 'unverified-email' },
  }
}
