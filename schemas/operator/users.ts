import { Type } from '@sinclair/typebox'
import { plainText, response, stringEnum, textOrNull } from '../common.ts'
import { ExternalId, strict } from '../fields.ts'
import { ProfileValues } from '../profile.ts'
import { Cursor, Limit, Next, READ_FAILURES, timestamp, timestampOrNull } from './common.ts'
import { ACCOUNT_SORTS, type AccountSort } from '../../src/operators/list-parameters.ts'
import { WITH_KEY } from './documentation.ts'

export const ListedAccount = Type.Object({
  id: Type.String({ maxLength: 20 }),
  username: Type.String({ maxLength: 254 }),
  email: Type.String({ maxLength: 254 }),
  name: textOrNull({ maxLength: 200 }),
  externalId: Type.Unsafe<string | null>({
    ...textOrNull({ maxLength: 255 }),
    description: 'The id of the user in another system',
  }),
  ...ProfileValues,
  emailVerifiedAt: timestampOrNull('When the address was confirmed'),
  disabledAt: timestampOrNull('Since when sign-in is blocked'),
  createdAt: timestamp('When the account was created'),
  secondFactors: Type.Array(stringEnum('totp', 'passkey'), { description: 'An authenticator app, a passkey' }),
  lastSignInAt: timestampOrNull('When it last signed in, noted a few seconds later. Null: never, as far as known'),
}, { title: 'ListedAccount' })

export const ADA = {
  id: '42',
  username: 'ada',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  externalId: 'customer-1815',
  language: 'en',
  timeZone: 'Europe/London',
  emailVerifiedAt: '2026-01-31T09:00:00.000Z',
  disabledAt: null,
  createdAt: '2026-01-31T08:58:00.000Z',
  secondFactors: ['passkey'],
  lastSignInAt: '2026-02-03T16:20:00.000Z',
}

export const SearchUsersSchema = {
  summary: 'Search accounts',
  description: 'By any part of the username, the name or the email address, by the external id, and by state. ' +
    'Needs the scope `users:read`.',
  tags: ['Users'],
  security: WITH_KEY,
  querystring: Type.Object({
    q: Type.Optional(plainText({
      maxLength: 254,
      description: 'A part of the username, the name or the email, or the whole external id. One or two characters: ' +
        'what the username or the email begins with',
    })),
    externalId: Type.Optional({ ...ExternalId, description: 'The account with this external id, if there is one' }),
    state: Type.Optional(stringEnum('active', 'disabled')),
    confirmed: Type.Optional(Type.Unsafe<'yes' | 'no'>({
      ...stringEnum('yes', 'no'),
      description: 'Whether the address is confirmed',
    })),
    factors: Type.Optional(Type.Unsafe<'none' | 'any' | 'totp' | 'passkey'>({
      ...stringEnum('none', 'any', 'totp', 'passkey'),
      description: 'Accounts without a second factor, with any, with an authenticator app, or with a passkey',
    })),
    sort: Type.Optional(Type.Unsafe<AccountSort>({
      ...stringEnum(...ACCOUNT_SORTS),
      description: 'With a minus: the newest, or the last of the alphabet, first. Accounts that have never signed in ' +
        'count as the oldest. Default: an account whose username, email or external id is `q`, then the newest first',
    })),
    limit: Limit,
    cursor: Cursor,
  }, strict),
  response: {
    200: response('A page of accounts.', Type.Object({
      users: Type.Array(ListedAccount),
      next: Next,
      count: Type.Integer({
        description: 'How many accounts match, counted up to 1,000. Less for a text that very many have',
      }),
      isCountExact: Type.Boolean({ description: 'Whether there are not more than `count`' }),
    }, { examples: [{ users: [ADA], next: null, count: 1, isCountExact: true }] })),
    ...READ_FAILURES,
  },
}
