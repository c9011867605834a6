import { HttpError } from '../errors.ts'

/** Settings that an application may not have. The message says why. */
export class RefusedApplication extends HttpError {
  constructor (reason: string) {
    super(400, reason)
  }
}

/** What the provider cannot store, as an error of OAuth. */
export class Refused extends Error {
  readonly code: 'invalid_client' | 'invalid_grant' | 'invalid_request' | 'invalid_request_uri' | 'slow_down'

  constructor (code: Refused['code'], description: string, options?: ErrorOptions) {
    super(description, options)
    this.code = code
  }
}
