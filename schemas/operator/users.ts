import { Type } from '@sinclair/typebox'
import { plainText, response, textOrNull } from '../common.ts'
import { strict } from '../fields.ts'
import { Cursor, Limit, Next, READ_FAILURES, timestamp, timestampOrNull } from './common.ts'
import { WITH_KEY } from './documentation.ts'

export const ListedAccount = Type.Object({
  id: Type.String({ maxLength: 20 }),
  username: Type.String({ maxLength: 254 }),
  email: Type.String({ maxLength: 254 }),
  name: textOrNull({ maxLength: 200 }),
  emailVerifiedAt: timestampOrNull('When the address was confirmed'),
  disabledAt: timestampOrNull('Since when sign-in is blocked'),
  createdAt: timestamp('When the account was created'),
}, { title: 'ListedAccount' })

export const ADA = {
  id: '42',
  username: 'ada',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  emailVerifiedAt: '2026-01-31T09:00:00.000Z',
  disabledAt: null,
  createdAt: '2026-01-31T08:58:00.000Z',
}

export const SearchUsersSchema = {
  summary: 'Search accounts',
  description: 'By the beginning of the username or the email address. Without `q`: all, the newest first. ' +
    'Needs the scope `users:read`.',
  tags: ['Users'],
  security: WITH_KEY,
  querystring: Type.Object({
    q: Type.Optional(plainText({ maxLength: 254, description: 'What the username or the email begins with' })),
    limit: Limit,
    cursor: Cursor,
  }, strict),
  response: {
    200: response('A page of accounts.', Type.Object({
      users: Type.Array(ListedAccount),
      next: Next,
      count: Type.Integer({ description: 'How many accounts match, counted up to 1,000' }),
      isCountExact: Type.Boolean({ description: 'Whether there are not more than `count`' }),
    }, { examples: [{ users: [ADA], next: null, count: 1, isCountExact: true }] })),
    ...READ_FAILURES,
  },
}
