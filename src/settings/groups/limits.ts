import { number } from '../kinds.ts'

/** Limits of attempts and requests. */
export const LIMITS = {
  LIMIT_LOGIN_MAX: number('Failed logins allowed in a window, for each client address', { default: 5 }),
  LIMIT_LOGIN_WINDOW: number('Window of the login limit, in seconds', { default: 900 }),
  LIMIT_GENERAL_MAX: number(
    'Requests allowed in a window, for each user, or for each client address if no user is signed in',
    { default: 100 }
  ),
  LIMIT_GENERAL_WINDOW: number('Window of the general limit, in seconds', { default: 900 }),
  LIMIT_SENSITIVE_MAX: number(
    'Password resets that can be requested in a window, for each client address',
    { default: 3 }
  ),
  LIMIT_SENSITIVE_WINDOW: number('Window of the sensitive limit, in seconds', { default: 3600 }),
  LIMIT_ACCOUNT_MAX: number(
    'Failed logins allowed in a window, for each login name as typed, from all client addresses together; ' +
    'browsers that have signed in to the account before are counted separately',
    { default: 50 }
  ),
  LIMIT_ACCOUNT_WINDOW: number('Window of the account limit, in seconds', { default: 3600 }),
}
