import { Type } from '@sinclair/typebox'
import { response, failures, dateTime, textOrNull } from './common.ts'
import { SIGNED_IN } from './documentation.ts'

const SecurityEvent = Type.Object({
  what: Type.String({ description: 'What happened, such as `sign_in` or `password_changed`' }),
  ip: textOrNull(),
  device: Type.String({ description: 'Browser and system in words' }),
  at: dateTime('When it happened'),
}, { title: 'SecurityEvent' })

export const ListEventsSchema = {
  summary: 'List the recent security events',
  tags: ['Account'],
  security: SIGNED_IN,
  response: {
    200: response('The newest fifty, newest first.', Type.Object({ events: Type.Array(SecurityEvent) }, {
      examples: [{ events: [{ what: 'sign_in', ip: '203.0.113.7', device: 'Firefox on Linux', at: '2026-01-31T09:00:00.000Z' }] }],
    })),
    ...failures(401, 503),
  },
}
