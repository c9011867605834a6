import { Type } from '@sinclair/typebox'
import { number, oneOf, secret, text } from '../kinds.ts'

/** Sessions, second factors, registration and mails. */
export const ACCOUNTS = {
  SESSION_MAX_AGE: number('Days after sign-in when a session ends, even if it is in use', { default: 90 }),
  REVOCATION_FEED_LOST: oneOf(
    ['allow', 'refuse'],
    'Access checks while an instance cannot learn which sessions have ended, for more than 5 seconds: `allow` them, ' +
    'so that an ended session may pass for up to 15 minutes, or `refuse` them with 503',
    { default: 'allow' }
  ),
  SECOND_FACTOR: oneOf(
    ['off', 'optional', 'required'],
    'Second factors: `off` lets no user add one, `optional` lets each user decide, and with `required` a user ' +
    'without one can do nothing but add one; accounts that have one are always asked for it',
    { default: 'optional' }
  ),
  FRESH_SECONDS: number(
    'Seconds after a proof of identity during which factors, the email address or the first password can be changed ' +
    'and the account deleted',
    { default: 600 }
  ),
  REMEMBER_BROWSER_DAYS: number(
    'Days during which a browser that the user trusts is not asked for the second factor; 0 turns this off',
    { minimum: 0, maximum: 400, default: 30 }
  ),
  REGISTRATION: oneOf(['open', 'closed'], 'Whether new users can register themselves', { default: 'open' }),
  EMAIL_VERIFICATION: oneOf(
    ['required', 'off'],
    '`off` activates new accounts immediately; registration then reveals whether an email address has an account',
    { default: 'required' }
  ),
  SMTP_URL: Type.Optional(secret('Mail server, such as `smtps://user:password@mail.example.com`')),
  MAIL_FROM: text('Sender of mails', { default: 'Gatehouse <no-reply@localhost>' }),
  WEBHOOK_PRIVATE: oneOf(
    ['refuse', 'allow'],
    'Webhooks to private, loopback and other special addresses: `allow` them for receivers in your own network',
    { default: 'refuse' }
  ),
  LOGIN_REDIRECT: text('Path on this host to open after sign-in', { default: '/dashboard' }),
}
