import { HttpError } from '../errors.ts'

export class WeakPassword extends HttpError {
  constructor (errors: string[], message = 'Choose a password that meets every rule.') {
    super(422, message, 'Weak password', { fields: { valid: false, errors } })
  }
}

/** The password meets all rules, but attackers know it. */
export class BreachedPassword extends WeakPassword {
  constructor () {
    super(['Password was exposed in a data breach'], 'Choose a password that was never exposed in a data breach.')
  }
}
