import { HttpError } from '../errors.ts'

/** Settings that an application may not have. The message says why. */
export class RefusedApplication extends HttpError {
  constructor (reason: string) {
    super(400, reason)
  }
}
