import { Type } from '@sinclair/typebox'
import { NoSuchApiKey } from '../../src/operators/errors.ts'
import { errorResponse, noContent, response } from '../common.ts'
import { strict } from '../fields.ts'
import { READ_FAILURES, timestamp, timestampOrNull, WRITE_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const AT = '2026-01-31T09:00:00.000Z'

export const KeysSchema = {
  summary: 'List the keys of this API',
  description: 'Those in use first. Needs the scope `keys:read`.',
  tags: ['Service'],
  security: WITH_KEY,
  response: {
    200: response('The keys.', Type.Object({
      keys: Type.Array(Type.Object({
        name: Type.String({ maxLength: 64 }),
        scopes: Type.Array(Type.String({ maxLength: 40 })),
        createdAt: timestamp('When it was created'),
        lastUsedAt: timestampOrNull('When it was last used, up to a minute before'),
        endedAt: timestampOrNull('Since when it is refused'),
        suspendedAt: timestampOrNull('Since when it waits to be confirmed after a restore. It is refused'),
      }, { title: 'Key' })),
    }, {
      examples: [{
        keys: [{
          name: 'support-desk',
          scopes: ['users:read'],
          createdAt: AT,
          lastUsedAt: AT,
          endedAt: null,
          suspendedAt: null,
        }],
      }],
    })),
    ...READ_FAILURES,
  },
}

export const EndKeySchema = {
  summary: 'End a key of this API',
  description: 'It is refused from now on. A key can end itself. Keys are created on the command line only: ' +
    '`gatehouse api-key add`. Needs the scope `keys:write`.',
  tags: ['Service'],
  security: WITH_KEY,
  params: Type.Object({
    name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', description: 'The name of the key' }),
  }, strict),
  response: {
    204: noContent('Ended.'),
    ...WRITE_FAILURES,
    404: errorResponse('There is no such key in use.', new NoSuchApiKey()),
  },
}
