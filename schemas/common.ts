import { Type, type TProperties, type TSchema } from '@sinclair/typebox'
import { Forbidden, HttpError, InvalidCsrfToken, NotFound, TooManyAttempts, TooManyLogins, TooManyRequests, Unauthorized, Unavailable } from '../src/errors.ts'

const Failure = Type.Object({
  error: Type.String({ maxLength: 100, description: 'What kind of refusal it is' }),
  message: Type.String({ maxLength: 1000, description: 'What a person can do about it' }),
}, { title: 'Failure' })

/** `retryAfter` is the login limiter's alone. */
const TooMany = Type.Object({
  ...Failure.properties,
  retryAfter: Type.Optional(Type.Integer({ description: 'Seconds that a window lasts' })),
}, { title: 'TooManyFailure' })

/** Headers that always come with an answer. */
type Headers = TProperties

/** What an answer means, for the documentation. */
export function response<T extends TSchema> (description: string, schema: T, headers?: Headers): T {
  return { ...schema, 'x-response-description': description, ...(headers && { headers }) }
}

export function noContent (description: string, headers?: Headers) {
  return Type.Unsafe<undefined>(response(description, Type.Null(), headers))
}

export const redirect = (description: string) => noContent(description, { location: Type.String({ description: 'Where to go' }) })

/** A refusal as it is documented: its example is what the error itself would send. */
export function refusal<T extends TSchema = typeof Failure> (description: string, errors: HttpError | HttpError[], schema = Failure as unknown as T, headers?: Headers): T {
  const examples = [errors].flat().map(({ error, message, fields }) => ({ error, message, ...fields }))
  return { ...response(description, schema, headers), examples }
}

const RETRY = { 'retry-after': Type.Integer({ description: 'Seconds after which to try again' }) }
const LIMIT = {
  'ratelimit-limit': Type.Integer({ description: 'Requests that a window takes' }),
  'ratelimit-remaining': Type.Integer({ description: 'Requests that are left of them' }),
  'ratelimit-reset': Type.Integer({ description: 'Seconds until the window ends' }),
}

const foreign = new Forbidden('Only pages of https://auth.example.com may send this request.')

const REFUSALS = {
  400: refusal('The body, a parameter or the address is not as described here.', new HttpError(400, 'body needs the field: password')),
  401: refusal('Nobody is signed in: the token is missing, forged, expired, ended or of the other kind.', new Unauthorized()),
  403: refusal('The request comes from a page of another site.', foreign),
  404: refusal('There is no such thing.', new NotFound()),
  413: refusal('The body is larger than 16 KiB.', new HttpError(413, 'The body is larger than this route takes.')),
  414: refusal('A part of the address is longer than 100 characters.', new HttpError(414, 'A part of the address is too long.')),
  415: refusal('The body is not JSON.', new HttpError(415, 'Send the body as application/json.')),
  503: refusal('A part that this needs is down or busy. Nobody is signed out by it.', new Unavailable(), Failure, RETRY),
}

/** The statuses that a route refuses with. */
export function failures<const S extends keyof typeof REFUSALS> (...statuses: S[]): Record<S, typeof Failure> {
  return Object.fromEntries(statuses.map(status => [status, REFUSALS[status]])) as Record<S, typeof Failure>
}

/** Whatever changes something may be asked with a bad body, and from another site. */
export const CHANGE_FAILURES = failures(400, 403, 413, 415)
export const BODY_FAILURES = { ...CHANGE_FAILURES, ...failures(503) }

/** The 403 of a route that opts in to the CSRF token, and may have more reasons. */
export function forbiddenWithCsrf (reasons = '', ...more: HttpError[]) {
  return { 403: refusal(`The CSRF token is missing or wrong, ${reasons}or the request comes from a page of another site.`, [new InvalidCsrfToken(), ...more, foreign]) }
}

export const TOO_MANY_REQUESTS = { 429: refusal('More requests than one user, or one client address that is not signed in, may make: by default 100 in 15 minutes.', new TooManyRequests(), Failure, { ...RETRY, ...LIMIT }) }
export const TOO_MANY_RESETS = { 429: refusal('More than one client address may ask for: by default 3 in an hour.', new TooManyAttempts(), Failure, { ...RETRY, ...LIMIT }) }
export const TOO_MANY_LOGINS = { 429: refusal('More failures than one client address (by default 5 in 15 minutes) or one account (50 in an hour) may have.', new TooManyLogins(540), TooMany, { ...RETRY, ...LIMIT }) }
/** Of a route that asks for the password again. */
export const TOO_MANY_GUESSES = { 429: refusal('Too many requests, or too many wrong passwords for this account.', [new TooManyRequests(), new TooManyLogins(540)], TooMany, { ...RETRY, ...LIMIT }) }

/** Text without control characters and lone surrogates: PostgreSQL takes no NUL, and nobody means the others. */
export const plainText = (options: { minLength?: number, maxLength: number, description?: string }) =>
  Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$', ...options })

export const dateTime = (description: string) => Type.String({ format: 'date-time', description })

// Not unions, for which the serializer would validate each value before it writes it.
/** One of these words. */
export const stringEnum = <W extends string>(...words: W[]) => Type.Unsafe<W>({ type: 'string', enum: words })

/** Text, or nothing. */
export const textOrNull = (options: { maxLength?: number } = {}) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
