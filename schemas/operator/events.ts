import { Type } from '@sinclair/typebox'
import { plainText, response, textOrNull } from '../common.ts'
import { strict } from '../fields.ts'
import { Cursor, Limit, Next, READ_FAILURES, timestamp, UserId } from './common.ts'
import { WITH_KEY } from './documentation.ts'

export const ListedEvent = Type.Object({
  id: Type.String({ maxLength: 20 }),
  what: Type.String({ description: 'The name of the event, such as `sign_in` or `account_disabled`' }),
  userId: textOrNull(),
  username: textOrNull(),
  ip: textOrNull(),
  userAgent: textOrNull(),
  device: Type.Unsafe<string | null>({ ...textOrNull(), description: 'The user agent in words: `Chrome on Linux`' }),
  by: Type.Unsafe<string | null>({
    ...textOrNull(),
    description: 'Who made the change, if it was not the owner: `key NAME`, `operator USERNAME` or `command line`',
  }),
  subject: Type.Unsafe<string | null>({
    ...textOrNull(),
    description: 'What it concerned, if it was not an account: the id of a webhook or an ' +
      'application, the name of a key, or the client or login name whose limits were cleared. Of `profile_changed`: ' +
      'the names of the fields, separated by commas',
  }),
  at: timestamp('When it happened'),
}, { title: 'Event' })

export const EVENT = {
  id: '981',
  what: 'account_disabled',
  userId: '42',
  username: 'ada',
  ip: null,
  userAgent: null,
  device: null,
  by: 'key support-desk',
  subject: null,
  at: '2026-01-31T09:00:00.000Z',
}

const EVENT_NAME = '^[a-z_]{1,40}$'

const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description }))

export const EventsSchema = {
  summary: 'List events',
  description: 'The newest first. Needs the scope `events:read`.',
  tags: ['Events'],
  security: WITH_KEY,
  querystring: Type.Object({
    what: Type.Optional(Type.String({
      pattern: EVENT_NAME,
      description: 'Only events with this name. An unknown name gets 400',
    })),
    kind: Type.Optional(Type.String({
      pattern: EVENT_NAME,
      deprecated: true,
      description: 'The former name of `what`',
    })),
    user: Type.Optional(UserId),
    account: Type.Optional(plainText({
      minLength: 1,
      maxLength: 254,
      description: 'The username or the email of a user, instead of `user`',
    })),
    address: Type.Optional(Type.String({
      maxLength: 45,
      description: 'A client address. IPv6: its whole /64 network. Without `since`: the seven days before `until`, ' +
        'or before now',
    })),
    since: Time('Not before this time'),
    until: Time('Before this time'),
    limit: Limit,
    cursor: Cursor,
  }, strict),
  response: {
    200: response('A page of events.', Type.Object({ events: Type.Array(ListedEvent), next: Next }, {
      examples: [{ events: [EVENT], next: null }],
    })),
    ...READ_FAILURES,
  },
}
