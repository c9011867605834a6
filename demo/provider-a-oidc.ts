import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Consent } from './consent.ts'
import { delayResponse } from './misbehaviour.ts'
import { PAGE_HEADERS, errorPage } from './page.ts'
import type { Person } from './people.ts'
import { createStorage } from './provider-a-storage.ts'

export const THEME = { title: 'Demo provider A', accent: '#2563eb' }
const HOUR = 3600

/** Sets everything that oidc-provider would otherwise warn about at each start. */
export function configuration (): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    adapter: createStorage(),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    // Sessions are not stored, so grants must not depend on them.
    expiresWithSession: () => false,
    ttl: { AccessToken: HOUR, AuthorizationCode: 600, Grant: HOUR, IdToken: HOUR, Interaction: HOUR, Session: HOUR },
    renderError (ctx, { error, error_description: description }) {
      ctx.set(PAGE_HEADERS)
      ctx.body = errorPage(THEME, description ?? error)
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

/** By route and misbehaviour. They run after the correct response was built and the code was consumed. */
export const SIMULATIONS: Record<string, (ctx: KoaContextWithOIDC) => unknown> = {
  'resume wrong-state' (ctx) {
    const callback = new URL(ctx.response.get('location'))
    callback.searchParams.set('state', randomBytes(16).toString('base64url'))
    ctx.set('location', callback.href)
  },
  'token error-in-200' (ctx) {
    ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' }
  },
  'token token-500' (ctx) {
    ctx.status = 500
    ctx.type = 'text'
    ctx.body = 'Internal Server Error'
  },
  'token slow-token': ctx => delayResponse(ctx.req.socket),
  'userinfo userinfo-reset' (ctx) {
    ctx.respond = false
    ctx.req.socket.resetAndDestroy()
  },
}
