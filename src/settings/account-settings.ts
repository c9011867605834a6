import { Type } from '@sinclair/typebox'
import { number, oneOf, secret, text } from './kinds.ts'

/** Sessions, second factors, registration and mails. */
export const ACCOUNTS = {
  SESSION_MAX_AGE: number('Days after sign-in when a session ends, even if it is in use', { default: 90 }),
  DEVICE_BOUND_SESSIONS: oneOf(
    ['off', 'on'],
    'Whether sessions are bound to the device where the browser supports it (Device Bound Session Credentials): a ' +
    'copy of the cookies cannot renew itself; with `off`, bound sessions go on without the check',
    { default: 'off' }
  ),
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
  MAIL_SIGN_IN: oneOf(
    ['off', 'on'],
    'Sign-in by mail, with a code or a link; with `REGISTRATION=open` also registration without a password',
    { default: 'off' }
  ),
  SMTP_URL: Type.Optional(secret('Mail server, such as `smtps://user:password@mail.example.com`')),
  MAIL_FROM: text('Sender of mails', { default: 'Gatehouse <no-reply@localhost>' }),
  WEBHOOK_PRIVATE: oneOf(
    ['refuse', 'allow'],
    'Webhooks to private, loopback and other special addresses: `allow` them for receivers in your own network',
    { default: 'refuse' }
  ),
  REGISTRATION_HOOK: Type.Optional(text(
    'URL of your application, which is asked before an account is made and may refuse: see [Hooks](hooks.md); the ' +
    'address rules of webhooks apply'
  )),
  REGISTRATION_HOOK_AWAY: Type.Optional(oneOf(
    ['allow', 'refuse'],
    'Registrations while `REGISTRATION_HOOK` gives no answer within 2 seconds: `allow` or `refuse`; required with it',
    {}
  )),
  SIGN_IN_HOOK: Type.Optional(text('The same, before a session opens')),
  SIGN_IN_HOOK_AWAY: Type.Optional(oneOf(
    ['allow', 'refuse'],
    'Sign-ins while `SIGN_IN_HOOK` gives no answer within 2 seconds: `allow` or `refuse`; required with it',
    {}
  )),
  HOOK_SECRET: Type.Optional(secret(
    'Secret that signs the requests to both hooks: `whsec_` and 24 to 64 random bytes in base64; required with a hook'
  )),
  LOGIN_REDIRECT: text(
    'Path on this host, or URL of one of `APP_ORIGINS`, to open after sign-in',
    { default: '/dashboard' }
  ),
}

/** Hashing of passwords, and the comparison with breached ones. */
export const PASSWORDS = {
  BCRYPT_COST: number('Cost factor of the bcrypt password hashes', { minimum: 10, maximum: 15, default: 12 }),
  HASHING_THREADS: Type.Optional(number(
    'Threads of one instance that hash passwords; defaults to the cores that it may use, which a CPU limit reduces',
    { maximum: 256 }
  )),
  HASHING_LANES: number(
    'Passwords that one core checks at once, if there are more than cores; `1` checks one at a time',
    { maximum: 4, default: 4 }
  ),
  BREACHED_PASSWORDS_URL: Type.Optional(text(
    'Range interface of Have I Been Pwned, such as `https://api.pwnedpasswords.com/range/`: new passwords are ' +
    'compared with breached ones; it gets five characters of a hash; without it nothing is compared'
  )),
}

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

/** The look of pages and mails. */
export const BRAND = {
  BRAND_NAME: text('Product name on the pages and in mails', { minLength: 1, maxLength: 60, default: 'Gatehouse' }),
  BRAND_COLOR: text(
    'Colour of the buttons and links on the pages, as `#rrggbb`; it is adjusted where text would be hard to read',
    { default: '#2f5bea' }
  ),
  BRAND_LOGO: Type.Optional(text(
    'Logo on the pages and in mails: a path on this host, or an `https:` URL; its server must send ' +
    '`Cross-Origin-Resource-Policy: cross-origin` for another host and for mails; many mail programs show PNG only'
  )),
  TEMPLATES_DIR: Type.Optional(text(
    'Folder whose files replace the templates, texts and styles of pages and mails that have the same name'
  )),
}
