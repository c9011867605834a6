import { Type } from '@sinclair/typebox'
import { PublicUser } from './accounts.ts'
import { BODY_FAILURES, Empty, failures, TooMany } from './common.ts'

export const LogoutSchema = { response: { 204: Empty, ...BODY_FAILURES } }

export const RefreshSchema = { response: { 200: Type.Object({ user: PublicUser }), ...BODY_FAILURES, ...failures(401), 429: TooMany } }

export const MeSchema = {
  response: {
    200: Type.Object({ id: Type.String(), username: Type.String(), expiresAt: Type.String({ format: 'date-time' }) }),
    ...failures(401),
  },
}

export const VerifySchema = { response: { 204: Empty, ...failures(401) } }

const Session = Type.Object({
  id: Type.String({ format: 'uuid' }),
  ip: Type.Union([Type.String(), Type.Null()]),
  device: Type.String({ description: 'Browser and system in words' }),
  firstUsedAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Type.String({ format: 'date-time' }),
  current: Type.Boolean({ description: 'Whether it is the one that asks' }),
})

export const ListSessionsSchema = { response: { 200: Type.Object({ sessions: Type.Array(Session) }), ...failures(401, 503) } }

export const EndSessionSchema = {
  // Not the format `uuid`, which takes `urn:uuid:` too.
  params: Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36 }) }),
  response: { 204: Empty, ...failures(400, 401, 403, 404, 503), 429: TooMany },
}

export const EndOtherSessionsSchema = { response: { 204: Empty, ...failures(401, 403, 503), 429: TooMany } }
