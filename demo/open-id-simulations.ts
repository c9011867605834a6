import { randomBytes, type KeyObject } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, SignJWT, type JWTPayload } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { delayResponse } from './misbehaviour.ts'
import { createKey } from './open-id-configuration.ts'

type Simulation = (ctx: KoaContextWithOIDC, key: KeyObject) => unknown

/** The ID token with other claims, or signed with another key of the same name. */
async function changeIdToken (ctx: KoaContextWithOIDC, key: KeyObject, claims: JWTPayload) {
  const body = ctx.body as { id_token: string }
  const { alg = 'ES256', kid } = decodeProtectedHeader(body.id_token)
  const payload = { ...decodeJwt(body.id_token), ...claims }
  body.id_token = await new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key)
}

function changeCallback (ctx: KoaContextWithOIDC, name: string, value: string) {
  const callback = new URL(ctx.response.get('location'))
  callback.searchParams.set(name, value)
  ctx.set('location', callback.href)
}

/** By route and misbehaviour. They run after the correct response was built and the code was consumed. */
export const SIMULATIONS: Record<string, Simulation> = {
  'resume wrong-state': ctx => changeCallback(ctx, 'state', randomBytes(16).toString('base64url')),
  'resume other-issuer': ctx => changeCallback(ctx, 'iss', 'https://other.example'),
  'token wrong-nonce': (ctx, key) => changeIdToken(ctx, key, { nonce: 'another' }),
  'token wrong-audience': (ctx, key) => changeIdToken(ctx, key, { aud: 'another' }),
  'token wrong-issuer': (ctx, key) => changeIdToken(ctx, key, { iss: 'https://other.example' }),
  'token bad-signature': ctx => changeIdToken(ctx, createKey(), {}),
  'token no-auth-time': (ctx, key) => changeIdToken(ctx, key, { auth_time: undefined }),
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
