import { Type } from '@sinclair/typebox'
import { response, failures, dateTime, textOrNull } from './common.ts'
import { SIGNED_IN } from './documentation.ts'

const SecurityEvent = Type.Object({
  what: Type.String({ description: 'The kind of event, such as `sign_in` or `password_changed`' }),
  ip: textOrNull(),
  device: Type.String({ description: 'Browser and operating system, such as `Firefox on Linux`' }),
  changed: Type.Optional(Type.Array(Type.String(), { description: 'Of `profile_changed`: the names of the fields' })),
  byOperator: Type.Boolean({ description: 'Whether an operator made this change' }),
  at: dateTime('When it happened'),
}, { title: 'SecurityEvent' })

const SIGN_IN = {
  what: 'sign_in',
  ip: '203.0.113.7',
  device: 'Firefox on Linux',
  byOperator: false,
  at: '2026-01-31T09:00:00.000Z',
}

export const ListEventsSchema = {
  summary: 'List the recent security events',
  tags: ['Account'],
  security: SIGNED_IN,
  response: {
    200: response('At most the newest 50 events, newest first.', Type.Object({ events: Type.Array(SecurityEvent) }, {
      examples: [{ events: [SIGN_IN] }],
    })),
    ...failures(401, 503),
  },
}
