import { Type } from '@sinclair/typebox'
import { oneOf, secret } from '../kinds.ts'

/** Secrets and keys that sign tokens. */
export const TOKENS = {
  JWT_SECRET: secret('Secret that signs the tokens: at least 64 random characters', { default: '' }),
  JWT_SECRET_PREVIOUS: Type.Optional(
    secret('Second secret, used while `JWT_SECRET` is being changed; it verifies tokens and signs none')
  ),
  TOKEN_AUDIENCES: Type.Array(Type.String({ maxLength: 200, pattern: '^[!-~]+$' }), {
    default: [],
    description: 'Comma-separated names of the services for which tokens are issued, such as `orders,billing`',
  }),
  SIGNING_ALG: oneOf(
    ['EdDSA', 'ES256'],
    'Algorithm that signs the tokens for other services; choose `ES256` only if one of them cannot verify `EdDSA`',
    { default: 'EdDSA' }
  ),
}
