import { HttpError } from '../errors.ts'

/** The same response for every cause, so that it does not reveal whether a passkey is known. */
export class InvalidPasskey extends HttpError {
  /** 403 in a session, which goes on. */
  constructor (statusCode: 401 | 403 = 401) {
    super(statusCode, 'This passkey could not be used. Try again, or use another way.', 'Invalid passkey')
  }
}

/** A new passkey that was not created as it must be. */
export class RefusedPasskey extends HttpError {
  constructor () {
    super(400, 'This passkey could not be added. Please try again.', 'Invalid passkey')
  }
}
