import { Type } from '@sinclair/typebox'
import { SUBJECTS } from '../../src/limits/keys.ts'
import { LIMITS } from '../../src/limits/registry.ts'
import { plainText, response, stringEnum, textOrNull } from '../common.ts'
import { strict } from '../fields.ts'
import { AccountOfOperator } from '../../src/operators/errors.ts'
import { changeFailures, READ_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const querystring = Type.Object({
  address: Type.Optional(Type.String({ maxLength: 45, description: 'A client address. IPv6: its whole /64 network' })),
  account: Type.Optional(plainText({ minLength: 1, maxLength: 254, description: 'A login name as users type it' })),
}, { ...strict, maxProperties: 1 })

const LIMIT = {
  limit: 'login',
  subject: 'address',
  who: '203.0.113.7',
  userId: null,
  username: null,
  count: 5,
  max: 5,
  reached: true,
  resetSeconds: 840,
}

const NAMES = [...new Set(Object.values(LIMITS).map(({ name }) => name))].join(', ')

const of = 'Of one client address, or of one login name and the wrong codes of its account. Without Redis, each ' +
  'instance has its own.'

export const LimitsSchema = {
  summary: 'See rate limits',
  description: 'Without a parameter: all limits that have counted something, the fullest first, at most 200. ' +
    `${of} Needs the scope \`limits:read\`.`,
  tags: ['Limits'],
  security: WITH_KEY,
  querystring,
  response: {
    200: response('The counters.', Type.Object({
      limits: Type.Array(Type.Object({
        limit: Type.String({ description: NAMES }),
        subject: stringEnum(...SUBJECTS),
        who: Type.String({
          description: 'The client address, the id of the user or session, or the login name. In the list of all ' +
            'limits, a login name is the beginning of its hash, because the name is not stored',
        }),
        userId: textOrNull(),
        username: Type.Unsafe<string | null>({
          ...textOrNull(),
          description: 'The account, if it counts for a user or a session',
        }),
        count: Type.Integer(),
        max: Type.Integer(),
        reached: Type.Boolean(),
        resetSeconds: Type.Integer(),
      }, { title: 'Limit' })),
      isComplete: Type.Boolean({ description: 'False if there may be more' }),
    }, { examples: [{ limits: [LIMIT], isComplete: true }] })),
    ...READ_FAILURES,
  },
}

export const ClearLimitsSchema = {
  summary: 'Clear rate limits',
  description: `${of} Needs the scope \`limits:write\`.`,
  tags: ['Limits'],
  security: WITH_KEY,
  querystring: Type.Object(querystring.properties, { ...strict, minProperties: 1, maxProperties: 1 }),
  response: {
    200: response('The names of the counters that were cleared.', Type.Object({ cleared: Type.Array(Type.String()) }, {
      examples: [{ cleared: ['login'] }],
    })),
    ...changeFailures('the account is an operator; ', new AccountOfOperator()),
  },
}
