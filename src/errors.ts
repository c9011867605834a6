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

export class Unavailable extends HttpError {
  constructor (cause?: unknown, retryAfter = 5) {
    super(503, 'The service is busy or a part of it is down. Please try again in a moment.', undefined,
      { headers: { 'retry-after': retryAfter }, cause })
  }
}
