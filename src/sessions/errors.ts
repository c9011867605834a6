import { HttpError, Overloaded } from '../errors.ts'

export class InvalidRegistration extends HttpError {
  constructor () {
    super(403, 'The key cannot be registered for this session. The session works without it.')
  }
}

/** The browser could not prove its key: the service did not answer in time, or the browser waits after failures. */
export class ProofSkipped extends Overloaded {
  constructor () {
    super('no proof of the device')
  }
}
