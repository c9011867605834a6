import { HttpError, Overloaded } from '../errors.ts'

/** What a user reads if the application gives no message. The pages know it and translate it. */
export const NO_MESSAGE = 'The application does not allow this.'

/** The application does not allow the registration or the sign-in. The message is its own. */
export class RefusedByApplication extends HttpError {
  constructor (message = NO_MESSAGE) {
    super(403, message, 'Refused by the application')
  }
}

/** There is no answer, and the setting says that this refuses. */
export class HookAway extends Overloaded {
  constructor (setting: string, cause?: unknown) {
    super(`${setting} gave no answer`, cause)
  }
}
