import { Type } from '@sinclair/typebox'
import { UnknownAudience } from '../src/errors.ts'
import {
  BODY_FAILURES, dateTime, errorResponse, failures, forbiddenWithCsrf, noContent, redirect, response, textOrNull,
} from './common.ts'
import { ApplicationName } from './applications.ts'
import { OPTIONAL_SESSION, REFRESHABLE, SIGNED_IN, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { uuid } from './fields.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'
import { Audience } from './service-tokens.ts'
import { CLEARED_COOKIES, TOKEN_COOKIES, WithUser } from './user.ts'

const Next = Type.Optional(Type.String({ maxLength: 2_048, description: 'The path to open afterwards' }))

export const LogoutSchema = {
  summary: 'Sign out',
  description: 'Ends this session. Also succeeds without one. A form of a page may send this request as well, ' +
    '`<form method="post" action="/logout">`: it is the only route that accepts one.',
  tags: ['Sign-in'],
  security: OPTIONAL_SESSION,
  querystring: Type.Object({ next: Next }),
  // Fields that the framework of an application adds to its forms are ignored.
  body: { content: { 'application/x-www-form-urlencoded': { schema: Type.Object({ next: Next }) } } },
  response: {
    204: noContent('Signed out.', CLEARED_COOKIES),
    303: redirect('Signed out by a form: to `next`, or to the login page.'),
    ...BODY_FAILURES,
  },
}

export const RefreshSchema = {
  summary: 'Refresh the tokens',
  description: 'A refresh token can be used once. Within 30 seconds a repeated request gets the same new token, ' +
    'for a second tab or a lost response. Later reuse ends the session.',
  tags: ['Sign-in'],
  security: REFRESHABLE,
  response: {
    200: response('New token cookies were set.', WithUser, TOKEN_COOKIES),
    ...BODY_FAILURES,
    ...failures(401),
    ...TOO_MANY_REQUESTS,
  },
}

export const MeSchema = {
  summary: 'Get the signed-in user',
  description: 'Read from the access token, without a database query.',
  tags: ['Session'],
  security: SIGNED_IN,
  response: {
    200: response('The user.', Type.Object({
      id: Type.String(),
      username: Type.String(),
      expiresAt: dateTime('When the access token expires'),
    }, { title: 'Me', examples: [{ id: '42', username: 'ada', expiresAt: '2026-01-31T09:15:00.000Z' }] })),
    ...failures(401),
  },
}

export const VerifySchema = {
  summary: 'Verify the access token',
  description: 'For reverse proxies: nginx `auth_request`, Traefik, Caddy, Envoy. Makes no database query. ' +
    'For a page visit (recognized by `Sec-Fetch-Mode` or `Accept`), the 401 has a `Location`: /login, ' +
    'with the path from `X-Forwarded-Uri` to return to. With `audience`, the response also has `X-Auth-Token`: ' +
    'a token as from POST /api/auth/token, which the app behind the reverse proxy can verify. With the setting ' +
    '`TOKEN_CLAIMS`, it has `X-Auth-Claims`: those members of the data of the account, as JSON in base64url.',
  tags: ['Session'],
  security: SIGNED_IN,
  querystring: Type.Object({
    'signed-out': Type.Optional(Type.Literal('redirect', {
      description: 'Answer a page visit with 302 instead of 401, for reverse proxies that pass the response on',
    })),
    audience: Type.Optional({ ...Audience, description: 'Adds `X-Auth-Token`, a token for this audience' }),
  }),
  response: {
    204: noContent('Authenticated.', {
      'x-auth-user-id': Type.String({ description: 'The id of the user' }),
      'x-auth-username': Type.String({
        description: 'Percent-encoded. Not unique for social accounts: identify users by their id',
      }),
    }),
    302: redirect('Not signed in, and a redirect was requested: to /login.'),
    ...failures(400, 401),
    403: errorResponse('No tokens are issued for this audience.', new UnknownAudience()),
    ...failures(503),
  },
}

/** Where a session is. */
export const SESSION_PLACE = {
  ip: textOrNull(),
  device: Type.String({
    description: 'Browser and operating system, such as `Firefox on Linux`, or the name of the application',
  }),
  application: Type.Union([ApplicationName, Type.Null()], {
    description: 'The application that stays connected with this session, if it is not one of a browser',
  }),
  bound: Type.Boolean({
    description: 'Whether it is bound to its device: a copy of its cookies cannot be renewed elsewhere',
  }),
}

const Session = Type.Object({
  id: Type.String({ format: 'uuid' }),
  ...SESSION_PLACE,
  firstUsedAt: dateTime('When the user signed in'),
  lastUsedAt: dateTime('When the tokens were last refreshed'),
  current: Type.Boolean({ description: 'Whether it is the session of this request' }),
}, { title: 'Session' })

const LAPTOP = {
  id: '0d9c2f5e-6a41-4b8e-9f0e-3c1d7a52b684',
  ip: '203.0.113.7',
  device: 'Firefox on Linux',
  application: null,
  bound: true,
  firstUsedAt: '2026-01-28T18:30:00.000Z',
  lastUsedAt: '2026-01-31T09:00:00.000Z',
  current: true,
}

export const ListSessionsSchema = {
  summary: 'List the sessions of the user',
  description: 'The one used last comes first. An account has at most 100.',
  tags: ['Account'],
  security: SIGNED_IN,
  response: {
    200: response('The sessions.', Type.Object({ sessions: Type.Array(Session, { maxItems: 100 }) }, {
      examples: [{ sessions: [LAPTOP] }],
    })),
    ...failures(401, 503),
    ...TOO_MANY_REQUESTS,
  },
}

export const EndSessionSchema = {
  summary: 'End one session',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  params: Type.Object({ id: uuid('The id of the session') }),
  response: {
    204: noContent('Ended.'),
    ...BODY_FAILURES,
    ...failures(401, 404, 414),
    ...forbiddenWithCsrf(),
    ...TOO_MANY_REQUESTS,
  },
}

export const EndOtherSessionsSchema = {
  summary: 'End all other sessions',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  response: {
    204: noContent('Ended.'),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf(),
    ...TOO_MANY_REQUESTS,
  },
}
