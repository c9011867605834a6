import { Type } from '@sinclair/typebox'
import { TooManyAttempts, TooManyLogins, TooManyRequests } from '../src/errors.ts'
import { TooManyCodes } from '../src/factors/errors.ts'
import { errorResponse, Failure, RETRY_AFTER } from './common.ts'

/** Only the login limiter sends `retryAfter`. */
const TooMany = Type.Object({
  ...Failure.properties,
  retryAfter: Type.Optional(Type.Integer({
    description: 'Always 900. The header `Retry-After` has the seconds that are left',
  })),
}, { title: 'TooManyFailure' })

const RATE_LIMIT = {
  'ratelimit-limit': Type.Integer({ description: 'Requests allowed in a window' }),
  'ratelimit-remaining': Type.Integer({ description: 'Requests left in this window' }),
  'ratelimit-reset': Type.Integer({ description: 'Seconds until the window ends' }),
}

export const TOO_MANY_REQUESTS = {
  429: errorResponse(
    'Too many requests from this user, or from this client address if not signed in: by default 100 in 15 minutes.',
    new TooManyRequests(),
    Failure,
    { ...RETRY_AFTER, ...RATE_LIMIT }
  ),
}
export const TOO_MANY_RESETS = {
  429: errorResponse(
    'Too many requests from this client address: by default 3 in an hour.',
    new TooManyAttempts(),
    Failure,
    { ...RETRY_AFTER, ...RATE_LIMIT }
  ),
}
export const TOO_MANY_LOGINS = {
  429: errorResponse(
    'Too many failed attempts from this client address (by default 5 in 15 minutes) ' +
    'or for this account (50 in an hour).',
    new TooManyLogins(540),
    TooMany,
    { ...RETRY_AFTER, ...RATE_LIMIT }
  ),
}
/** For routes that ask for the current password. */
export const TOO_MANY_GUESSES = {
  429: errorResponse(
    'Too many requests, or too many wrong passwords for this account.',
    [new TooManyRequests(), new TooManyLogins(540)],
    TooMany,
    { ...RETRY_AFTER, ...RATE_LIMIT }
  ),
}
export const TOO_MANY_CODES = {
  429: errorResponse(
    'Ten wrong codes in an hour for this account, or too many requests.',
    [new TooManyCodes(1_800), new TooManyRequests()],
    TooMany,
    RETRY_AFTER
  ),
}
