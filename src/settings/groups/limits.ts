import { number } from '../kinds.ts'

/** Limits of attempts and requests. */
export const LIMITS = {
  LIMIT_LOGIN_MAX: number('Failed logins allowed in 15 minutes, for each client address', { default: 5 }),
  LIMIT_GENERAL_MAX: number(
    'Requests allowed in 15 minutes, for each user, or for each client address if no user is signed in',
    { default: 100 }
  ),
  LIMIT_SENSITIVE_MAX: number(
    'Password resets that can be requested in an hour, for each client address',
    { default: 3 }
  ),
  LIMIT_ACCOUNT_MAX: number(
    'Failed logins allowed in an hour, for each login name as typed, from all client addresses together; ' +
    'browsers that have signed in to the account before are counted separately',
    { default: 50 }
  ),
}
