import { HttpError } from '../errors.ts'
import type { Right, Role } from './roles.ts'
import type { Scope } from './scopes.ts'

/** The same response for a key that is missing, unknown or has ended. */
export class ApiKeyRequired extends HttpError {
  constructor () {
    super(401, 'Send a key of the operator API: Authorization: Bearer gh_…', undefined,
      { headers: { 'www-authenticate': 'Bearer' } })
  }
}

export class ScopeRequired extends HttpError {
  constructor (scope: Scope) {
    super(403, `This key does not have the scope ${scope}.`)
  }
}

/** Operators have the rights of their role. */
export class RoleRequired extends HttpError {
  constructor (role: Role, right: Right) {
    super(403, `Your role is ${role}, which does not have the right ${right}. It can be changed on the server: ` +
      'gatehouse operator role.', 'Not allowed for this role')
  }
}

/** Keys and sign-ins on the command line cannot prove who uses them at this moment. */
export class OperatorSessionRequired extends HttpError {
  constructor () {
    super(403, 'Only an operator who is signed in on the page of operators can do this.',
      'Session of an operator required')
  }
}

export class TooManyWrongApiKeys extends HttpError {
  constructor (seconds: number) {
    super(429, 'Too many wrong keys. Please try again later.', undefined, { headers: { 'retry-after': seconds } })
  }
}

export class NotAnOperator extends HttpError {
  constructor () {
    super(403, 'This account is not an operator. An administrator can name it: gatehouse operator add.',
      'Not an operator')
  }
}

/** The right to be an operator comes from a backup. */
export class OperatorSuspended extends HttpError {
  constructor () {
    super(403, 'The database was restored from a backup. An administrator has to confirm this operator: ' +
      'gatehouse restored confirm.', 'Operator suspended')
  }
}

/** What to do is said in the message, because nothing else is possible for this account here. */
export class OperatorNeedsFactor extends HttpError {
  constructor (publicUrl: string) {
    super(403, `Operators need a second factor. Sign in at ${publicUrl}/dashboard, add a passkey or an authenticator ` +
      'app there, and come back.', 'Second factor required')
  }
}

/**
 * Otherwise a key or a role that changes accounts would be worth as much as an administrator: it could reset their
 * factors.
 */
export class AccountOfOperator extends HttpError {
  constructor () {
    super(403, 'This account is an operator. Keys of the API cannot change it: only an administrator on the page of ' +
      'operators, or the command line.', 'Account of an operator')
  }
}

export class NoSuchUser extends HttpError {
  constructor () {
    super(404, 'There is no user with this id.')
  }
}

export class NoSuchWebhook extends HttpError {
  constructor () {
    super(404, 'There is no webhook with this id.')
  }
}

/** It is kept with the application. */
export class EndpointOfApplication extends HttpError {
  constructor (name: string) {
    super(409, `This endpoint belongs to the application ${name}: change or remove it there.`,
      'Endpoint of an application')
  }
}

export class NoSuchDelivery extends HttpError {
  constructor () {
    super(404, 'This webhook has no delivery with this id.')
  }
}

export class NoSuchApplication extends HttpError {
  constructor () {
    super(404, 'There is no application with this id.')
  }
}

export class NoSuchApiKey extends HttpError {
  constructor () {
    super(404, 'There is no key with this name in use.')
  }
}

export class InvalidCursor extends HttpError {
  constructor () {
    super(400, 'The cursor is not valid. Use the value of `next` from the previous page.')
  }
}

export class IdempotencyKeyReused extends HttpError {
  constructor () {
    super(422, 'This Idempotency-Key was used for a different request.')
  }
}

/** Responses to requests with a key are stored, and secrets are not. */
export class IdempotencyKeyRefused extends HttpError {
  constructor () {
    super(400, 'This route takes no Idempotency-Key: its response has a secret, which is not stored.')
  }
}

export class RequestUnderWay extends HttpError {
  constructor () {
    super(409, 'The first request with this Idempotency-Key is still being handled.', undefined,
      { headers: { 'retry-after': 1 } })
  }
}
