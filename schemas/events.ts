import { Type } from '@sinclair/typebox'
import { failures } from './common.ts'

const SecurityEvent = Type.Object({
  what: Type.String({ description: 'What happened, such as `sign_in` or `password_changed`' }),
  ip: Type.Union([Type.String(), Type.Null()]),
  device: Type.String({ description: 'Browser and system in words' }),
  at: Type.String({ format: 'date-time' }),
})

export const ListEventsSchema = { response: { 200: Type.Object({ events: Type.Array(SecurityEvent) }), ...failures(401, 503) } }
