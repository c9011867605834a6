import { Type } from '@sinclair/typebox'
import { plainText, response } from '../common.ts'
import { strict } from '../fields.ts'
import { READ_FAILURES, WRITE_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const querystring = Type.Object({
  address: Type.Optional(Type.String({ maxLength: 45, description: 'A client address. IPv6: its whole /64 network' })),
  account: Type.Optional(plainText({ minLength: 1, maxLength: 254, description: 'A login name as users type it' })),
}, { ...strict, minProperties: 1, maxProperties: 1 })

const of = 'Of one client address, or of one login name and the wrong codes of its account. Without Redis, each ' +
  'instance has its own.'

export const LimitsSchema = {
  summary: 'See rate limits',
  description: `${of} Needs the scope \`limits:read\`.`,
  tags: ['Limits'],
  security: WITH_KEY,
  querystring,
  response: {
    200: response('The counters.', Type.Object({
      limits: Type.Array(Type.Object({
        limit: Type.String(),
        count: Type.Integer(),
        max: Type.Integer(),
        reached: Type.Boolean(),
        resetSeconds: Type.Integer(),
      }, { title: 'Limit' })),
    }, { examples: [{ limits: [{ limit: 'login', count: 5, max: 5, reached: true, resetSeconds: 840 }] }] })),
    ...READ_FAILURES,
  },
}

export const ClearLimitsSchema = {
  summary: 'Clear rate limits',
  description: `${of} Needs the scope \`limits:write\`.`,
  tags: ['Limits'],
  security: WITH_KEY,
  querystring,
  response: {
    200: response('The names of the counters that were cleared.', Type.Object({ cleared: Type.Array(Type.String()) }, {
      examples: [{ cleared: ['login'] }],
    })),
    ...WRITE_FAILURES,
  },
}
