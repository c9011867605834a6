import { Type } from '@sinclair/typebox'
import { UnknownAudience } from '../src/errors.ts'
import { BODY_FAILURES, crossSite, dateTime, errorResponse, failures, response } from './common.ts'
import { PUBLIC, SIGNED_IN } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

export const Audience = Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' })

const TOKEN = 'eyJhbGciOiJFZERTQSIsImtpZCI6IjF2Uy4uLiIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJodHRwczovLy4uLiJ9.c2lnbmF0dXJl'

export const TokenSchema = {
  summary: 'Get a token for another service',
  description: 'A JWT of 5 minutes for one of the audiences in the setting `TOKEN_AUDIENCES`. The other service ' +
    'verifies it with the public keys of GET /.well-known/jwks.json. The same token is returned again while it is ' +
    'valid for more than a minute. With `TOKEN_CLAIMS`, it has those members of the data of the account.',
  tags: ['Session'],
  security: SIGNED_IN,
  body: Type.Object({ audience: Audience }, {
    additionalProperties: false,
    examples: [{ audience: 'orders' }],
  }),
  response: {
    200: response('The token.', Type.Object({
      token: Type.String({ maxLength: 8192 }),
      expiresAt: dateTime('When the token expires'),
    }, { title: 'ServiceToken', examples: [{ token: TOKEN, expiresAt: '2026-01-31T09:05:00.000Z' }] })),
    ...BODY_FAILURES,
    ...failures(401),
    403: errorResponse(
      'No tokens are issued for this audience, or the request comes from a page of another site.',
      [new UnknownAudience(), crossSite]
    ),
    ...TOO_MANY_REQUESTS,
  },
}

const PublicKey = Type.Object({
  kty: Type.String(),
  crv: Type.String(),
  x: Type.String(),
  y: Type.Optional(Type.String({ description: 'Only with ES256' })),
  kid: Type.String(),
  alg: Type.String(),
  use: Type.String(),
}, { title: 'PublicKey' })

export const KeySetSchema = {
  summary: 'Get the public keys',
  description: 'The JSON Web Key Set (RFC 7517) that verifies tokens for other services: the key that signs, the ' +
    'next one, which is published an hour before it signs, and previous ones whose tokens are still valid.',
  tags: ['Session'],
  security: PUBLIC,
  response: {
    200: response('The keys.', Type.Object({ keys: Type.Array(PublicKey) }, {
      title: 'KeySet',
      examples: [{
        keys: [{
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid: '3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90',
          alg: 'EdDSA',
          use: 'sig',
        }],
      }],
    }), { 'cache-control': Type.String({ description: '`public, max-age=600`' }) }),
    ...failures(503),
  },
}
