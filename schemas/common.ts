import { Type } from '@sinclair/typebox'

export const Failure = Type.Object({
  error: Type.String({ maxLength: 100 }),
  message: Type.String({ maxLength: 1000 }),
})

/** `retryAfter` is the login limiter's alone. */
export const TooMany = Type.Object({
  ...Failure.properties,
  retryAfter: Type.Optional(Type.Integer()),
})

type Refusal = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 503

/** The statuses that a route refuses with. */
export function failures<const S extends Refusal> (...statuses: S[]): Record<S, typeof Failure> {
  return Object.fromEntries(statuses.map(status => [status, Failure])) as Record<S, typeof Failure>
}

/** Whatever takes a body may be asked with a bad one, from another site, or while a part is down. */
export const BODY_FAILURES = failures(400, 403, 413, 415, 503)

/** Text without control characters and lone surrogates: PostgreSQL takes no NUL, and nobody means the others. */
export const plainText = (options: { minLength?: number, maxLength: number, description?: string }) =>
  Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$', ...options })

export const Empty = Type.Unsafe<undefined>(Type.Null({ description: 'No content' }))
