import { Type } from '@sinclair/typebox'
import { TOKEN_COOKIES, WithUser } from './accounts.ts'
import { response, BODY_FAILURES, failures, forbiddenWithCsrf, dateTime, noContent, redirect, textOrNull, TOO_MANY_REQUESTS } from './common.ts'
import { ANYBODY, REFRESHABLE, SIGNED_IN, SIGNED_IN_WITH_CSRF } from './documentation.ts'

export const LogoutSchema = {
  summary: 'Sign out',
  description: 'Ends this session. Also good when nobody is signed in.',
  tags: ['Sign-in'],
  security: ANYBODY,
  response: { 204: noContent('Signed out.', { 'set-cookie': Type.String({ description: 'Clears `access_token` and `refresh_token`' }) }), ...BODY_FAILURES },
}

export const RefreshSchema = {
  summary: 'Trade the refresh token for new tokens',
  description: 'A refresh token works once. Used again, but for the 30 seconds that a second tab or a lost answer may need, it ends its session.',
  tags: ['Sign-in'],
  security: REFRESHABLE,
  response: { 200: response('New cookies.', WithUser, TOKEN_COOKIES), ...BODY_FAILURES, ...failures(401), ...TOO_MANY_REQUESTS },
}

export const MeSchema = {
  summary: 'Who is signed in',
  description: 'From the access token alone: nothing else is asked.',
  tags: ['Session'],
  security: SIGNED_IN,
  response: {
    200: response('The user.', Type.Object({ id: Type.String(), username: Type.String(), expiresAt: dateTime('When the access token ends') }, {
      title: 'Me', examples: [{ id: '42', username: 'ada', expiresAt: '2026-01-31T09:15:00.000Z' }],
    })),
    ...failures(401),
  },
}

export const VerifySchema = {
  summary: 'May this request pass?',
  description: 'For front ends: nginx `auth_request`, Traefik, Caddy, Envoy. From the access token alone: nothing else is asked. For a person on the way to a page (`Sec-Fetch-Mode`, `Accept`), the 401 has a `Location`: /login, and back to the address in `X-Forwarded-Uri`.',
  tags: ['Session'],
  security: SIGNED_IN,
  querystring: Type.Object({
    'signed-out': Type.Optional(Type.Literal('redirect', { description: 'For front ends that hand on what they get: a page visit is redirected instead of refused' })),
  }),
  response: {
    204: noContent('It may.', {
      'x-auth-user-id': Type.String({ description: 'Whose request it is' }),
      'x-auth-username': Type.String({ description: 'Percent-encoded. Go by the id: usernames of social accounts may repeat' }),
    }),
    302: redirect('Nobody is signed in, and the front end asked for a redirect: to /login.'),
    ...failures(400, 401),
  },
}

const Session = Type.Object({
  id: Type.String({ format: 'uuid' }),
  ip: textOrNull(),
  device: Type.String({ description: 'Browser and system in words' }),
  firstUsedAt: dateTime('When it was opened'),
  lastUsedAt: dateTime('When it was last renewed'),
  current: Type.Boolean({ description: 'Whether it is the one that asks' }),
}, { title: 'Session' })

const LAPTOP = { id: '0d9c2f5e-6a41-4b8e-9f0e-3c1d7a52b684', ip: '203.0.113.7', device: 'Firefox on Linux', firstUsedAt: '2026-01-28T18:30:00.000Z', lastUsedAt: '2026-01-31T09:00:00.000Z', current: true }

export const ListSessionsSchema = {
  summary: 'List the devices that are signed in',
  tags: ['Account'],
  security: SIGNED_IN,
  response: { 200: response('The sessions.', Type.Object({ sessions: Type.Array(Session) }, { examples: [{ sessions: [LAPTOP] }] })), ...failures(401, 503) },
}

export const EndSessionSchema = {
  summary: 'Sign one device out',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  // Not the format `uuid`, which takes `urn:uuid:` too.
  params: Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36, description: 'The id of the session' }) }),
  response: { 204: noContent('Ended.'), ...BODY_FAILURES, ...failures(401, 404, 414), ...forbiddenWithCsrf(), ...TOO_MANY_REQUESTS },
}

export const EndOtherSessionsSchema = {
  summary: 'Sign all other devices out',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  response: { 204: noContent('Ended.'), ...BODY_FAILURES, ...failures(401), ...forbiddenWithCsrf(), ...TOO_MANY_REQUESTS },
}
