import { Type } from '@sinclair/typebox'
import type { HttpError } from '../../src/errors.ts'
import { FreshProofRequired } from '../../src/factors/errors.ts'
import { ApiKeyRequired, RoleRequired, ScopeRequired, TooManyWrongApiKeys } from '../../src/operators/errors.ts'
import { CHANGE_FAILURES, crossSite, errorResponse, Failure, failures, RETRY_AFTER, textOrNull } from '../common.ts'
import { FreshProofNeeded } from '../fresh-proof.ts'

const WRONG_KEY = {
  401: errorResponse('The key is missing, unknown or has ended.', new ApiKeyRequired()),
  403: errorResponse('The key does not have the scope, or the operator not the role.',
    [new ScopeRequired('users:read'), new RoleRequired('viewer', 'users:write')]),
  429: errorResponse('Too many wrong keys from this address.', new TooManyWrongApiKeys(900), Failure, RETRY_AFTER),
}

/** Every route that reads can fail like this. */
export const READ_FAILURES = { ...failures(400, 503), ...WRONG_KEY }

/** Every route that changes something can fail like this. `reason`: why it is also forbidden. */
export const changeFailures = (reason: string, ...errors: HttpError[]) => ({
  ...CHANGE_FAILURES,
  ...failures(503),
  ...WRONG_KEY,
  403: errorResponse(
    `The key does not have the scope, or the operator not the role; ${reason}or, with the session of an operator, ` +
    'the identity was not confirmed within `FRESH_SECONDS` or the CSRF token is wrong; or the request comes from a ' +
    'page of another site.',
    [
      new ScopeRequired('users:write'), new RoleRequired('viewer', 'users:write'), ...errors,
      new FreshProofRequired(['totp', 'recovery']), crossSite,
    ],
    FreshProofNeeded
  ),
})
export const WRITE_FAILURES = changeFailures('')

export const Limit = Type.Optional(Type.String({
  pattern: '^([1-9]|[1-9][0-9]|100)$',
  description: 'At most so many, from 1 to 100. Default: 50',
}))
export const Cursor = Type.Optional(Type.String({
  maxLength: 1_000,
  description: 'The value of `next` from the previous page',
}))
export const Next = Type.Unsafe<string | null>({ ...textOrNull(), description: 'For the next page, if there is one' })
/** The serializer writes a Date as text. */
export const timestamp = (description: string) =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', description })
export const timestampOrNull = (description: string) =>
  Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time', description })
export const UserId = Type.String({ pattern: '^[0-9]{1,18}$', description: 'The id of the user' })

const DEFAULT_LIMIT = 50
export const limitOf = ({ limit }: { limit?: string }) => limit === undefined ? DEFAULT_LIMIT : Number(limit)
