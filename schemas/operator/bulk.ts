import { Type } from '@sinclair/typebox'
import { MAX_BULK, type BulkAction } from '../../src/operators/bulk-actions.ts'
import { response } from '../common.ts'
import { strict } from '../fields.ts'
import { READ_FAILURES, UserId, WRITE_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'
import { SearchUsersSchema } from './users.ts'

const { sort: _sort, limit: _limit, cursor: _cursor, ...filter } = SearchUsersSchema.querystring.properties

export const UserIdsSchema = {
  summary: 'List the ids of the accounts that a search finds',
  description: 'In their order, up to 10,000 at a time. It fixes the accounts for a change of all of them, and their ' +
    'number is what to confirm. Needs the scope `users:read`.',
  tags: ['Users'],
  security: WITH_KEY,
  querystring: Type.Object({ ...filter, after: Type.Optional(UserId) }, strict),
  response: {
    200: response('The ids.', Type.Object({
      ids: Type.Array(UserId),
      next: Type.Union([UserId, Type.Null()], { description: '`after` for the next page, if there is one' }),
    }, { examples: [{ ids: ['42', '43'], next: null }] })),
    ...READ_FAILURES,
  },
}

const EFFECTS: Record<BulkAction, [summary: string, effect: string]> = {
  disable: ['Disable accounts', 'Ends every session and prevents sign-in.'],
  enable: ['Enable accounts', 'Allows sign-in again.'],
  'end-sessions': ['End every session of accounts', 'The owners have to sign in again everywhere.'],
  'expire-password': [
    'Expire passwords',
    'They are wrong from now on, every session ends, and each owner is told by mail.',
  ],
  delete: ['Delete accounts', 'Deletes the accounts and all their data at once. This cannot be undone.'],
}

export const bulkSchema = (action: BulkAction) => ({
  summary: EFFECTS[action][0],
  description: `${EFFECTS[action][1]} Of the accounts with these ids, those that \`filter\` does not find any more ` +
    'are skipped, and so are operators. Each account is changed on its own, with its event: a request that failed ' +
    'can be sent again. Needs the scope `users:write`.',
  tags: ['Users'],
  security: WITH_KEY,
  body: Type.Object({
    ids: Type.Array(UserId, { minItems: 1, maxItems: MAX_BULK, description: 'From `GET /users/ids`' }),
    filter: Type.Optional(Type.Object(filter, { ...strict, description: 'The search that found them' })),
  }, { ...strict, examples: [{ ids: ['42', '43'], filter: { q: 'example.com', state: 'active' } }] }),
  response: {
    200: response('Done.', Type.Object({
      done: Type.Integer(),
      unchanged: Type.Integer({ description: 'Accounts for which there was nothing to do' }),
      skipped: Type.Array(Type.Object({
        id: UserId,
        username: Type.Union([Type.String(), Type.Null()]),
        reason: Type.String(),
      })),
    }, {
      examples: [{
        done: 1,
        unchanged: 0,
        skipped: [{ id: '43', username: 'grace', reason: 'This account is an operator. Change it alone.' }],
      }],
    })),
    ...WRITE_FAILURES,
  },
})
