import { HttpError, Overloaded } from '../errors.ts'

export class InvalidRegistration extends HttpError {
  constructor () {
    super(403, 'The key cannot be registered for this session. The session works without it.')
  }
}

/** The browser could not prove its key, or has to prove it once more. It tries again. */
export class NotProvedYet extends Overloaded {
  constructor () {
    super('no proof of the device yet')
  }
}
