import { Type } from '@sinclair/typebox'
import { PublicUser } from './accounts.ts'
import { Empty, failures, TooMany } from './common.ts'

export const LogoutSchema = { response: { 204: Empty, ...failures(403, 503) } }

export const RefreshSchema = { response: { 200: Type.Object({ user: PublicUser }), ...failures(401, 403, 503), 429: TooMany } }

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
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  response: { 204: Empty, ...failures(400, 401, 403, 404, 503), 429: TooMany },
}

export const EndOtherSessionsSchema = { response: { 204: Empty, ...failures(401, 403, 503), 429: TooMany } }
