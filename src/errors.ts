import { STATUS_CODES } from 'node:http'

interface Details {
  /** Extra fields of the body that the specification names. */
  fields?: Record<string, unknown>
  headers?: Record<string, string | number>
  /** What went wrong inside: logged, never sent. */
  cause?: unknown
}

/** An answer that is not a success. Everything in it is meant for the client, but for `cause`. */
export class HttpError extends Error {
  readonly statusCode: number
  readonly error: string
  readonly fields: Record<string, unknown>
  readonly headers: Record<string, string | number>

  constructor (statusCode: number, message: string, error = STATUS_CODES[statusCode] ?? 'Error', { fields = {}, headers = {}, cause }: Details = {}) {
    super(message, { cause })
    this.name = this.constructor.name
    this.statusCode = statusCode
    this.error = error
    this.fields = fields
    this.headers = headers
  }
}

/** Whatever else came on this connection may be part of it, so the connection ends. */
export class AmbiguousRequest extends HttpError {
  constructor () {
    super(400, 'The request can be read in more than one way.', undefined, { headers: { connection: 'close' } })
  }
}

export class NotFound extends HttpError {
  constructor () {
    super(404, 'There is nothing at this address.')
  }
}

export class MethodNotAllowed extends HttpError {
  constructor (allowed: string[]) {
    super(405, `This address takes ${allowed.join(', ')}.`, undefined, { headers: { allow: allowed.join(', ') } })
  }
}

/** One answer for a token that is missing, forged, expired, ended or of the wrong kind. */
export class Unauthorized extends HttpError {
  constructor () {
    super(401, 'Sign in to continue.')
  }
}

/** One answer for every cause: it must not tell whether an account exists. */
export class InvalidCredentials extends HttpError {
  constructor () {
    super(401, 'Username or password is incorrect.', 'Invalid credentials')
  }
}

export class InvalidLink extends HttpError {
  constructor () {
    super(400, 'This link is not valid any more. Ask for a new one.', 'Invalid link')
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
  constructor () {
    super('Send the token from GET /api/csrf-token in the header X-CSRF-Token, with the cookie that came with it.')
  }
}

export class Conflict extends HttpError {
  constructor (message: string) {
    super(409, message)
  }
}

export class Unavailable extends HttpError {
  constructor (cause?: unknown, retryAfter = 5) {
    super(503, 'The service is busy or a part of it is down. Please try again in a moment.', undefined,
      { headers: { 'retry-after': retryAfter }, cause })
  }
}

/** A sign-in through a provider that did not succeed. The browser is redirected to the login page. */
export class ProviderSignInFailed extends Error {
  /** Shown on the login page. */
  readonly description: string | undefined

  constructor (reason: string, { description, cause }: { description?: string, cause?: unknown } = {}) {
    super(reason, { cause })
    this.name = this.constructor.name
    this.description = description
  }
}

/** This browser started no such sign-in, or has completed it. Not recorded: anybody could fill the table. */
export class UnknownSignIn extends ProviderSignInFailed {}

export class WeakPassword extends HttpError {
  constructor (errors: string[]) {
    super(422, 'Choose a password that meets every rule.', 'Weak password', { fields: { valid: false, errors } })
  }
}

/** The specification's words and its figure; `Retry-After` tells the true seconds. */
export class TooManyLogins extends HttpError {
  constructor (seconds: number) {
    super(429, 'Please try again after 15 minutes', 'Too many login attempts',
      { fields: { retryAfter: 900 }, headers: { 'retry-after': seconds, 'ratelimit-remaining': 0, 'ratelimit-reset': seconds } })
  }
}

export class TooManyRequests extends HttpError {
  constructor () {
    super(429, 'Please slow down', 'Too many requests')
  }
}

export class TooManyAttempts extends HttpError {
  constructor () {
    super(429, 'Account temporarily locked. Try again in 1 hour.', 'Too many attempts')
  }
}
