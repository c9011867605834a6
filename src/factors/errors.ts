import { HttpError } from '../errors.ts'

/** 401 during a login, and 403 for a signed-in user: a 401 there would mean that the session has ended. */
export class InvalidCode extends HttpError {
  constructor (statusCode: 401 | 403) {
    super(statusCode, 'This code is wrong, was used already, or has expired.', 'Invalid code')
  }
}

/** The same response whether the step is missing, forged, expired, used, or ended by a change of the account. */
export class LoginStepOver extends HttpError {
  constructor () {
    super(401, 'Start again with your password.', 'Login expired')
  }
}

/** `methods`: what the user can prove their identity with, at POST /api/auth/reauthenticate. */
export class FreshProofRequired extends HttpError {
  constructor (methods: string[]) {
    super(403, 'Confirm your identity, and then try again.', 'Confirm it is you', { fields: { methods } })
  }
}

/** SECOND_FACTOR=required: the session can do nothing but add a second factor. */
export class SecondFactorRequired extends HttpError {
  constructor () {
    super(403, 'Add a second factor to your account to continue.', 'Second factor required')
  }
}

export class TooManyCodes extends HttpError {
  constructor (seconds: number, message = 'Too many wrong codes. Please try again in an hour.') {
    super(429, message, 'Too many codes', {
      headers: { 'retry-after': seconds },
    })
  }
}

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
