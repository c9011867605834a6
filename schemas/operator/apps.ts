import { Type } from '@sinclair/typebox'
import { APPLICATION_KINDS } from '../../src/openid/redirect-uris.ts'
import type { Registration } from '../../src/openid/self-description.ts'
import { NoSuchApplication } from '../../src/operators/errors.ts'
import { errorResponse, noContent, plainText, response, stringEnum, textOrNull } from '../common.ts'
import { strict } from '../fields.ts'
import { Cursor, Limit, Next, READ_FAILURES, timestamp, timestampOrNull, WRITE_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const params = Type.Object({
  id: Type.String({ format: 'uuid', maxLength: 36, description: 'The client id of the application' }),
}, strict)
const noSuchApp = { 404: errorResponse('There is no such application.', new NoSuchApplication()) }

const kind = Type.Unsafe<typeof APPLICATION_KINDS[number]>({
  ...stringEnum(...APPLICATION_KINDS),
  description: '`web`: runs on a server, with a secret. `public`: runs in a browser or on a device, without one. ' +
    '`machine`: gets tokens of its own, or introspects those of others, and signs no user in',
})
const Uri = Type.String({ maxLength: 2_000 })
const Line = Type.String({ maxLength: 10_000 })
const Key = Type.Object({
  kty: stringEnum('EC', 'OKP', 'RSA'),
  crv: Type.Optional(Type.String({ maxLength: 20 })),
  x: Type.Optional(Type.String({ maxLength: 200 })),
  y: Type.Optional(Type.String({ maxLength: 200 })),
  n: Type.Optional(Type.String({ maxLength: 3_000 })),
  e: Type.Optional(Type.String({ maxLength: 20 })),
  kid: Type.Optional(Type.String({ maxLength: 200 })),
  alg: Type.Optional(Type.String({ maxLength: 20 })),
  use: Type.Optional(Type.String({ maxLength: 20 })),
}, { title: 'PublicKey', ...strict, description: 'A public key as a JWK: EC P-256, Ed25519 or RSA' })

const Application = Type.Object({
  clientId: Type.String({
    maxLength: 36,
    description: 'The client id. Of an application with a metadata document, the id of its record',
  }),
  name: Type.String({ maxLength: 100 }),
  kind,
  redirectUris: Type.Array(Uri),
  postLogoutUris: Type.Array(Uri),
  backchannelLogoutUrl: textOrNull({ maxLength: 2_000 }),
  trusted: Type.Boolean(),
  pkceOptional: Type.Boolean(),
  resources: Type.Array(Line),
  serves: textOrNull({ maxLength: 2_000 }),
  keys: Type.Array(Key),
  dpopRequired: Type.Boolean(),
  device: Type.Boolean(),
  registration: Type.Unsafe<Registration | null>({
    enum: ['document', 'dynamic', null],
    description: 'How it registered itself: with a metadata document, or at the registration endpoint. ' +
      'No operator has checked it, and users are asked each time. Null if an operator added it',
  }),
  documentUrl: Type.Unsafe<string | null>({
    ...textOrNull({ maxLength: 1_000 }),
    description: 'The address of its metadata document, which is its client id',
  }),
  createdAt: timestamp('When it was added'),
  changedAt: timestamp('When it was last changed, or its secret rotated'),
  lastUsedAt: timestampOrNull('When it last got tokens, up to a minute before'),
  suspendedAt: timestampOrNull('Since when it waits to be confirmed after a restore. It is refused'),
  users: Type.Integer({ description: 'Accounts that are signed in to it now. At most 10,000 are counted' }),
}, { title: 'Application' })

const APP = {
  clientId: '3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90',
  name: 'Wiki',
  kind: 'web',
  redirectUris: ['https://wiki.example.com/callback'],
  postLogoutUris: ['https://wiki.example.com/'],
  backchannelLogoutUrl: 'https://wiki.example.com/logout',
  trusted: false,
  pkceOptional: false,
  resources: ['https://api.example.com/orders orders:read'],
  serves: null,
  keys: [],
  dpopRequired: false,
  device: false,
  registration: null,
  documentUrl: null,
  createdAt: '2026-01-31T09:00:00.000Z',
  changedAt: '2026-01-31T09:00:00.000Z',
  lastUsedAt: null,
  suspendedAt: null,
  users: 0,
}

const Secret = Type.String({ maxLength: 43, description: 'The client secret. It is not shown again' })
const SECRET = 'qLdEjpDPZzbJp4nG0cH7uvbzX7YEOKQ4bOW8y3oH1aM'

const uris = (description: string) =>
  Type.Array(plainText({ minLength: 1, maxLength: 2_000 }), { maxItems: 50, description })
const logoutUrl = { ...plainText({ minLength: 1, maxLength: 2_000 }) }
const settings = {
  name: plainText({ minLength: 1, maxLength: 100, description: 'Users see it when they are asked for their consent' }),
  redirectUris: Type.Optional(uris('Where users return after the sign-in, compared exactly. `https:`; for `public` ' +
    'also `http:` on 127.0.0.1, [::1] or localhost, with any port, and schemes such as `com.example.app:/callback`. ' +
    '`web` and `public` need at least one, unless they have `device`. `machine` has none')),
  postLogoutUris: Type.Optional(uris('Where users may return after a sign-out, by the same rules')),
  backchannelLogoutUrl: Type.Optional(Type.Unsafe<string | null>({
    anyOf: [logoutUrl, { type: 'null' }],
    description: 'Is told when a user signs out. `https:` in production, and no private address',
  })),
  trusted: Type.Optional(Type.Boolean({ description: 'Users give no consent. For your own apps only' })),
  pkceOptional: Type.Optional(Type.Boolean({ description: 'For a `web` application that cannot send PKCE' })),
  resources: Type.Optional(Type.Array(plainText({ minLength: 1, maxLength: 10_000 }), {
    maxItems: 50,
    description: 'What it may get tokens for: each the URI of one of `OPENID_RESOURCES`, and after it the scopes, ' +
      'separated by spaces. Without scopes, all of them',
  })),
  serves: Type.Optional(Type.Unsafe<string | null>({
    anyOf: [logoutUrl, { type: 'null' }],
    description: 'For a `machine`: the one of `OPENID_RESOURCES` that it is. It introspects the tokens for it alone',
  })),
  keys: Type.Optional(Type.Array(Key, {
    maxItems: 5,
    description: 'With which it authenticates instead of a secret (`private_key_jwt`). List both keys while one ' +
      'replaces the other',
  })),
  dpopRequired: Type.Optional(Type.Boolean({ description: 'Its tokens must be bound to a key (DPoP)' })),
  device: Type.Optional(Type.Boolean({
    description: 'It may sign users in on another device, such as a television or a command line (RFC 8628)',
  })),
}

const common = { tags: ['Applications'], security: WITH_KEY }
const one = Type.Object({ app: Application }, { examples: [{ app: APP }] })
const onceOnly = 'An `Idempotency-Key` is refused (400), because the response has a secret, which is never stored.'

export const AppsSchema = {
  ...common,
  summary: 'List the applications',
  description: 'Those that operators added, by name, without their secrets. Needs the scope `apps:read`.',
  response: {
    200: response('The applications.', Type.Object({ apps: Type.Array(Application) }, { examples: [{ apps: [APP] }] })),
    ...READ_FAILURES,
  },
}

export const RegisteredAppsSchema = {
  ...common,
  summary: 'List the applications that registered themselves',
  description: 'Those that a user has allowed, the newest first. Needs the scope `apps:read`.',
  querystring: Type.Object({ limit: Limit, cursor: Cursor }, strict),
  response: {
    200: response('A page of applications.', Type.Object({ apps: Type.Array(Application), next: Next }, {
      examples: [{ apps: [{ ...APP, kind: 'public', name: 'Agent', registration: 'dynamic' }], next: null }],
    })),
    ...READ_FAILURES,
  },
}

export const AppSchema = {
  ...common,
  summary: 'See an application',
  description: 'Without its secret. Needs the scope `apps:read`.',
  params,
  response: { 200: response('The application.', one), ...READ_FAILURES, ...noSuchApp },
}

export const AddAppSchema = {
  ...common,
  summary: 'Add an application',
  description: `No secret for a public application and for one with keys. ${onceOnly} Needs the scope \`apps:write\`.`,
  body: Type.Object({ kind, ...settings }, {
    ...strict,
    examples: [{ kind: APP.kind, name: APP.name, redirectUris: APP.redirectUris, postLogoutUris: APP.postLogoutUris }],
  }),
  response: {
    201: response('Added. The secret is not shown again.', Type.Object({
      app: Application,
      secret: Type.Optional(Secret),
    }, { examples: [{ app: APP, secret: SECRET }] })),
    ...WRITE_FAILURES,
  },
}

export const ChangeAppSchema = {
  ...common,
  summary: 'Change an application',
  description: 'A list replaces the former one. The kind cannot be changed. Needs the scope `apps:write`.',
  params,
  body: Type.Object({ ...settings, name: Type.Optional(settings.name) }, {
    ...strict,
    minProperties: 1,
    examples: [{ redirectUris: ['https://wiki.example.com/callback', 'https://wiki.example.net/callback'] }],
  }),
  response: { 200: response('Changed.', one), ...WRITE_FAILURES, ...noSuchApp },
}

export const RotateAppSecretSchema = {
  ...common,
  summary: 'Rotate the secret of an application',
  description: 'The former secret is also accepted for 24 hours, and none before it. A public application has none, ' +
    `nor does one with keys (400). ${onceOnly} Needs the scope \`apps:write\`.`,
  params,
  response: {
    200: response('The new secret, which is not shown again.', Type.Object({ secret: Secret }, {
      examples: [{ secret: SECRET }],
    })),
    ...WRITE_FAILURES,
    ...noSuchApp,
  },
}

export const RemoveAppSchema = {
  ...common,
  summary: 'Remove an application',
  description: 'What it holds ends at once: its tokens and the sessions that belong to it. Needs the scope ' +
    '`apps:write`.',
  params,
  response: { 204: noContent('Removed.'), ...WRITE_FAILURES, ...noSuchApp },
}
