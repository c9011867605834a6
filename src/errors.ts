import { STATUS_CODES } from 'node:http'

interface Details {
  /** Additional fields of the body, from the specification. */
  fields?: Record<string, unknown>
  headers?: Record<string, string | number>
  /** The internal reason. It is logged and never sent. */
  cause?: unknown
}

/** An error response. Everything but `cause` is sent to the client. */
export class HttpError extends Error {
  readonly statusCode: number
  readonly error: string
  readonly fields: Record<string, unknown>
  readonly headers: Record<string, string | number>

  constructor (
    statusCode: number,
    message: string,
    error = STATUS_CODES[statusCode] ?? 'Error',
    { fields = {}, headers = {}, cause }: Details = {}
  ) {
    super(message, { cause })
    this.name = this.constructor.name
    this.statusCode = statusCode
    this.error = error
    this.fields = fields
    this.headers = headers
  }
}

/** Closes the connection: further data on it may belong to this request. */
export class AmbiguousRequest extends HttpError {
  constructor () {
    super(400, 'The request is ambiguous.', undefined, { headers: { connection: 'close' } })
  }
}

export class NotFound extends HttpError {
  constructor () {
    super(404, 'There is nothing at this address.')
  }
}

export class MethodNotAllowed extends HttpError {
  constructor (allowed: string[]) {
    super(405, `Allowed methods: ${allowed.join(', ')}.`, undefined, { headers: { allow: allowed.join(', ') } })
  }
}

/** The same response for a token that is missing, forged, expired, revoked or of the wrong kind. */
export class Unauthorized extends HttpError {
  constructor () {
    super(401, 'Sign in to continue.')
  }
}

/** The same response for every cause, so that it does not reveal whether an account exists. */
export class InvalidCredentials extends HttpError {
  constructor () {
    super(401, 'Username or password is incorrect.', 'Invalid credentials')
  }
}

export class InvalidLink extends HttpError {
  constructor () {
    super(400, 'This link is no longer valid. Request a new one.', 'Invalid link')
  }
}

/** The address was not proved in this browser, or it has an account by now. */
export class RegistrationExpired extends HttpError {
  constructor () {
    super(401, 'Start again with a new email.', 'Registration expired')
  }
}

export class UnknownTimeZone extends HttpError {
  constructor () {
    super(400, 'Unknown time zone: use a name such as Europe/Berlin.')
  }
}

export class WrongPassword extends HttpError {
  constructor () {
    super(403, 'The current password is not correct.', 'Wrong password')
  }
}

export class Forbidden extends HttpError {
  constructor (message: string) {
    super(403, message)
  }
}

export class InvalidCsrfToken extends Forbidden {
  constructor (path = '/api/csrf-token') {
    super(`Send the token from GET ${path} in the X-CSRF-Token header, together with its cookie.`)
  }
}

export class UnknownAudience extends HttpError {
  constructor () {
    super(403, 'Tokens are issued only for the audiences in the setting TOKEN_AUDIENCES.', 'Unknown audience')
  }
}

export class Conflict extends HttpError {
  constructor (message: string) {
    super(409, message)
  }
}

export class Unavailable extends HttpError {
  constructor (cause?: unknown, retryAfter = 5) {
    super(503, 'The service is busy or partly unavailable. Please try again in a moment.', undefined,
      { headers: { 'retry-after': retryAfter }, cause })
  }
}

/** Nothing was changed: a code that was sent before is still valid. */
export class MailUnavailable extends HttpError {
  constructor () {
    super(503, 'Mails cannot be sent at the moment. Sign in another way, or try again in a few minutes.',
      'Mail unavailable', { headers: { 'retry-after': 60 } })
  }
}

/** More work than this instance can do in time. Expected under load: counted in the log, without a stack. */
export class Overloaded extends Unavailable {
  readonly reason: string

  constructor (reason: string, cause?: unknown) {
    super(cause)
    this.reason = reason
  }
}

/** Message and `retryAfter` are fixed by the specification. The `Retry-After` header has the exact seconds. */
export class TooManyLogins extends HttpError {
  constructor (seconds: number) {
    super(429, 'Please try again after 15 minutes', 'Too many login attempts', {
      fields: { retryAfter: 900 },
      headers: { 'retry-after': seconds, 'ratelimit-remaining': 0, 'ratelimit-reset': seconds },
    })
  }
}

export class TooManyRequests extends HttpError {
  /** `seconds`: until the next request. @fastify/rate-limit sends the header itself. */
  constructor (message = 'Please slow down', seconds?: number) {
    super(429, message, 'Too many requests', seconds === undefined ? {} : { headers: { 'retry-after': seconds } })
  }
}

export class TooManyAttempts extends HttpError {
  constructor () {
    super(429, 'Account temporarily locked. Try again in 1 hour.', 'Too many attempts')
  }
}
