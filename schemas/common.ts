import { Type, type TProperties, type TSchema } from '@sinclair/typebox'
import { Forbidden, HttpError, InvalidCsrfToken, NotFound, Unauthorized, Unavailable } from '../src/errors.ts'
import { RefusedByApplication } from '../src/hooks/errors.ts'

export const Failure = Type.Object({
  error: Type.String({ maxLength: 100, description: 'The kind of error' }),
  message: Type.String({ maxLength: 1000, description: 'What the user can do about it' }),
}, { title: 'Failure' })

/** Headers that a response always has. */
type Headers = TProperties

/** Adds the description of a response, for the documentation. */
export function response<T extends TSchema> (description: string, schema: T, headers?: Headers): T {
  return { ...schema, 'x-response-description': description, ...(headers && { headers }) }
}

export function noContent (description: string, headers?: Headers) {
  return Type.Unsafe<undefined>(response(description, Type.Null(), headers))
}

export const redirect = (description: string) =>
  noContent(description, { location: Type.String({ description: 'The redirect target' }) })

/** An error response. Its examples are the bodies that the errors themselves produce. */
export function errorResponse<T extends TSchema = typeof Failure> (
  description: string,
  errors: HttpError | HttpError[],
  schema = Failure as unknown as T,
  headers?: Headers
): T {
  const examples = [errors].flat().map(({ error, message, fields }) => ({ error, message, ...fields }))
  return { ...response(description, schema, headers), examples }
}

export const RETRY_AFTER = { 'retry-after': Type.Integer({ description: 'Seconds to wait before the next try' }) }

export const crossSite = new Forbidden('Only pages of https://auth.example.com may send this request.')

const FAILURES = {
  400: errorResponse(
    'The body, a parameter or the path does not match this description.',
    new HttpError(400, 'body needs the field: password')
  ),
  401: errorResponse(
    'Not signed in: the token is missing, forged, expired, revoked or of the wrong kind.',
    new Unauthorized()
  ),
  403: errorResponse('The request comes from a page of another site.', crossSite),
  404: errorResponse('Not found.', new NotFound()),
  413: errorResponse(
    'The body is larger than 16 KiB.',
    new HttpError(413, 'The body is larger than this route takes.')
  ),
  414: errorResponse(
    'A path segment is longer than 100 characters.',
    new HttpError(414, 'A part of the address is too long.')
  ),
  415: errorResponse('The body is not JSON.', new HttpError(415, 'Send the body as application/json.')),
  503: errorResponse(
    'The service is overloaded or a dependency is down. The user stays signed in.',
    new Unavailable(),
    Failure,
    RETRY_AFTER
  ),
}

/** The error responses for these statuses. */
export function failures<const S extends keyof typeof FAILURES> (...statuses: S[]): Record<S, typeof Failure> {
  return Object.fromEntries(statuses.map(status => [status, FAILURES[status]])) as Record<S, typeof Failure>
}

/** Every route with an unsafe method can get a malformed body or a cross-site request. */
export const CHANGE_FAILURES = failures(400, 403, 413, 415)
export const BODY_FAILURES = { ...CHANGE_FAILURES, ...failures(503) }

/** The 403 of a route that opens a session or creates an account. */
export function forbiddenByApplication (reasons = '', ...more: HttpError[]) {
  return {
    403: errorResponse(
      `The application refuses it, with a message for the user (\`REGISTRATION_HOOK\`, \`SIGN_IN_HOOK\`), ${reasons}` +
      'or the request comes from a page of another site.',
      [new RefusedByApplication('Your subscription has ended.'), ...more, crossSite]
    ),
  }
}

/** The 403 of a route that requires a CSRF token and may have more reasons. */
export function forbiddenWithCsrf (reasons = '', ...more: HttpError[]) {
  return {
    403: errorResponse(
      `The CSRF token is missing or wrong, ${reasons}or the request comes from a page of another site.`,
      [new InvalidCsrfToken(), ...more, crossSite]
    ),
  }
}

/**
 * Text without these characters, and without half a surrogate pair. It means the same with and without the flag `u`:
 * the API sets it, and the check of the command line and the import does not.
 */
export const patternWithout = (characters: string) =>
  `^(?:[^${characters}\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$`

/** Text without control characters and lone surrogates. PostgreSQL stores no NUL, and the others have no use here. */
export const plainText = (options: { minLength?: number, maxLength: number, description?: string }) =>
  Type.String({ pattern: patternWithout('\\u0000-\\u001f\\u007f'), ...options })

export const dateTime = (description: string) => Type.String({ format: 'date-time', description })

// Not Type.Union: the serializer would validate each value against its members.
export const stringEnum = <W extends string>(...words: W[]) => Type.Unsafe<W>({ type: 'string', enum: words })

export const textOrNull = (options: { maxLength?: number } = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
