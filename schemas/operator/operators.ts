import { Type } from '@sinclair/typebox'
import { ROLE_NAMES, type Role } from '../../src/operators/roles.ts'
import { response, stringEnum } from '../common.ts'
import { READ_FAILURES, timestampOrNull } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const Operator = Type.Object({
  id: Type.String({ maxLength: 20 }),
  username: Type.String({ maxLength: 254 }),
  email: Type.String({ maxLength: 254 }),
  role: Type.Unsafe<Role>({ ...stringEnum(...ROLE_NAMES), description: 'What it may do here' }),
  addedAt: timestampOrNull('When the account became an operator'),
  suspendedAt: timestampOrNull('Since when it waits to be confirmed after a restore. It cannot sign in here'),
  disabledAt: timestampOrNull('Since when sign-in is blocked'),
  hasSecondFactor: Type.Boolean({ description: 'Without one, it cannot sign in here' }),
  lastUsedAt: timestampOrNull('When a live session of this listener was last used'),
}, { title: 'Operator' })

export const OperatorsSchema = {
  summary: 'List operators',
  description: 'The accounts that may sign in on this listener. The role says what each may do. ' +
    '`gatehouse operator add`, `role` and `remove` change the list. Needs the scope `operators:read`.',
  tags: ['Service'],
  security: WITH_KEY,
  response: {
    200: response('The operators.', Type.Object({ operators: Type.Array(Operator) }, {
      examples: [{
        operators: [{
          id: '7',
          username: 'grace',
          email: 'grace@example.com',
          role: 'administrator',
          addedAt: '2026-01-31T09:00:00.000Z',
          suspendedAt: null,
          disabledAt: null,
          hasSecondFactor: true,
          lastUsedAt: null,
        }],
      }],
    })),
    ...READ_FAILURES,
  },
}
