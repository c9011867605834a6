import { Type } from '@sinclair/typebox'
import { DataChanged, InvalidData, VersionRequired } from '../../src/accounts/errors.ts'
import { AccountOfOperator, NoSuchUser } from '../../src/operators/errors.ts'
import { AccountData } from '../account-data.ts'
import { errorResponse, response } from '../common.ts'
import { strict } from '../fields.ts'
import { changeFailures, READ_FAILURES, UserId } from './common.ts'
import { WITH_KEY } from './documentation.ts'

const params = Type.Object({ id: UserId }, strict)
const notFound = { 404: errorResponse('There is no such user.', new NoSuchUser()) }
const EXAMPLE = { roles: ['editor'], tenant: 'acme' }

export const ETAG = {
  etag: Type.String({ description: 'The version of the data, such as `"3"`. `"0"`: none was stored' }),
}

export const IfMatch = Type.Object({
  'if-match': Type.Optional(Type.String({
    pattern: '^(\\*|"(0|[1-9][0-9]{0,8})")$',
    description: 'The version of the data that is replaced, from `ETag`, such as `"3"`; or `*` for any',
  })),
})

/** The failures of a request that replaces data. */
export const DATA_FAILURES = {
  412: errorResponse('The data has another version than `If-Match`.', new DataChanged()),
  428: errorResponse('`If-Match` is missing.', new VersionRequired()),
}

const INVALID_DATA = {
  400: errorResponse('The data breaks one of its rules.', new InvalidData('it must be a JSON object')),
}

export const ReadDataSchema = {
  summary: "See an account's data",
  description: 'What applications keep about the user. Needs the scope `users:read`.',
  tags: ['Users'],
  security: WITH_KEY,
  params,
  response: {
    200: response('The data.', { ...AccountData, examples: [EXAMPLE] }, ETAG),
    ...READ_FAILURES,
    ...notFound,
  },
}

export const ReplaceDataSchema = {
  summary: "Replace an account's data",
  description: 'The body is the whole object: members that it does not have are removed. `If-Match` has the version ' +
    'that you have read, so that two writers at once do not undo each other. Needs the scope `users:write`.',
  tags: ['Users'],
  security: WITH_KEY,
  params,
  headers: IfMatch,
  body: { ...AccountData, examples: [EXAMPLE] },
  response: {
    200: response('The data, as it is now.', { ...AccountData, examples: [EXAMPLE] }, ETAG),
    ...changeFailures('the account is an operator and cannot be changed; ', new AccountOfOperator()),
    ...INVALID_DATA,
    ...notFound,
    ...DATA_FAILURES,
  },
}
