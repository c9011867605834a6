import { deployment, notApplicable, notMet, shown, type Chapter } from '../entry.ts'

export const AUTHENTICATION: Chapter = {
  '6.1.1': shown(
    'Protection against guessing is documented and locks no user out',
    'asvs/decisions.test.ts#ways to sign in',
    'plugins/edge/limits-account.test.ts#POST /login: a known browser is',
    'routes/login/second-factor.test.ts#without the password, nobody',
    'routes/login/second-factor-passkey.test.ts#passkeys still work'
  ),
  '6.1.2': shown(
    'Context words that passwords must not consist of are documented',
    'asvs/decisions.test.ts#section on valid input',
    'src/passwords/policy.test.ts#user words: values, parts'
  ),
  '6.1.3': shown(
    'Every way to sign in is documented',
    'asvs/decisions.test.ts#ways to sign in',
    'app.test.ts#the route table is complete'
  ),
  '6.2.1': shown(
    'Passwords have at least 8 characters',
    'routes/register.test.ts#POST /register: a weak',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: breaks every'
  ),
  '6.2.2': shown(
    'Users can change their password',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: ends the'
  ),
  '6.2.3': shown(
    'A change needs the current password, and a first password a fresh proof of identity',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: wrong current',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: guesses at',
    'routes/api/auth/password/change.test.ts#the first password of a social-only'
  ),
  '6.2.4': shown(
    'The 3,000 most common passwords are refused',
    'attacks/common-passwords.test.ts#the 3,000 most common'
  ),
  '6.2.5': notMet(
    'No composition rules for passwords',
    'The specification of the service requires lowercase, uppercase, a number and a special character.',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: breaks every'
  ),
  '6.2.6': shown(
    'Password fields are masked, with a way to show the password',
    'pages/login.test.ts#show the password, hidden',
    'asvs/accounts.test.ts#password fields are masked'
  ),
  '6.2.7': shown(
    'Password managers and pasting work',
    'asvs/accounts.test.ts#password fields are masked',
    'plugins/site/pages.test.ts#GET /.well-known/change-password'
  ),
  '6.2.8': shown(
    'Passwords are verified exactly as typed',
    'plugins/passwords/passwords.test.ts#passwords that bcrypt cannot',
    'routes/login/login.test.ts#POST /login: one response',
    'asvs/accounts.test.ts#a password of 64 characters'
  ),
  '6.2.9': shown('Passwords of 64 characters are allowed', 'asvs/accounts.test.ts#a password of 64 characters'),
  '6.2.10': shown('No periodic password changes', 'asvs/accounts.test.ts#POST /login: a five-year-old'),
  '6.2.11': shown(
    'Context words make a password weak',
    'asvs/accounts.test.ts#POST /api/auth/password/check: BRAND_NAME in',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: made of'
  ),
  '6.2.12': shown(
    'Breached passwords are refused, if BREACHED_PASSWORDS_URL is set',
    'plugins/passwords/breached-passwords.test.ts#POST /register, /reset-password/confirm',
    'src/passwords/breached-passwords.test.ts#five characters of the',
    'attacks/common-passwords.test.ts#the 3,000 most common'
  ),
  '6.3.1': shown(
    'Protection against guessing works as documented',
    'plugins/edge/limits.test.ts#POST /login: sixth wrong',
    'plugins/edge/limits-account.test.ts#many addresses guess at one account',
    'plugins/edge/limits.test.ts#POST /login: sixth guess',
    'plugins/edge/limits-hydra.test.ts#POST /login: hydra does',
    'routes/login/passkey.test.ts#the sixth refusal',
    'routes/login/second-factor.test.ts#ten wrong codes an hour'
  ),
  '6.3.2': shown(
    'No default accounts',
    'asvs/accounts.test.ts#a new database has',
    'src/config.test.ts#the embedded stack runs'
  ),
  '6.3.3': deployment(
    'Multi-factor authentication is required',
    'By default each user decides. With SECOND_FACTOR=required, a user without a second factor can only add one. ' +
    'Operators always need two factors.',
    'plugins/factors/second-factor-required.test.ts#a new session can do nothing',
    'routes/api/auth/social-second-factor.test.ts#SECOND_FACTOR=required: also',
    'routes/login/second-factor.test.ts#POST /login: with a second factor',
    'routes/login/second-factor.test.ts#POST /login/second-factor: the user and',
    'routes/login/passkey.test.ts#as two factors',
    'pages/passkey-login.test.ts#by autofill, which',
    'pages/passkey-dashboard.test.ts#SECOND_FACTOR=required: a passkey',
    'operator/session.test.ts#wrong password (401), wrong code'
  ),
  '6.3.4': shown(
    'No undocumented way to sign in; the same checks on each',
    'app.test.ts#the route table is complete',
    'routes/login/login.test.ts#POST /login: one response',
    'routes/api/auth/social.test.ts#callback: a disabled account',
    'routes/login/passkey.test.ts#of a disabled account',
    'attacks/mail-sign-in.test.ts#an account that is disabled or deleted',
    'routes/login/mail.test.ts#a second factor is asked for',
    'routes/login/second-factor.test.ts#ends the step',
    'routes/api/auth/social-second-factor.test.ts#an account with a second factor is asked',
    'routes/api/auth/refresh.test.ts#a disabled or deleted user',
    'operator/session.test.ts#a public session or login step'
  ),
  '6.4.1': shown(
    'Initial secrets are random, short-lived and single-use',
    'routes/register.test.ts#POST /register → mail',
    'routes/reset-password.test.ts#links: a reset expires',
    'operator/users.test.ts#POST /users: creates an account and invites'
  ),
  '6.4.2': shown('No password hints or secret questions', 'openapi.test.ts#GET /openapi.json: every route'),
  '6.4.3': shown(
    'Password reset is as strong as sign-in',
    'routes/reset-password.test.ts#POST /reset-password → mail',
    'routes/reset-password.test.ts#POST /reset-password/confirm: an old',
    'routes/reset-password.test.ts#POST /reset-password: one response',
    'routes/reset-password.test.ts#the second factor stays',
    'plugins/accounts/address-proof.test.ts#a reset that proves the address'
  ),
  '6.4.4': deployment(
    'A lost factor needs new identity proof',
    'An operator who knows the owner removes it. Recovery codes stand in for it.',
    'src/cli/user.test.ts#user reset-factors',
    'routes/login/second-factor.test.ts#a recovery code once',
    'operator/users.test.ts#actions on an account'
  ),
  '6.5.1': shown(
    'Codes and links are single-use',
    'plugins/factors/totp.test.ts#one code, fifty at once',
    'plugins/factors/totp.test.ts#one code, fifty logins',
    'plugins/factors/totp.test.ts#a clock that jumps back',
    'routes/reset-password.test.ts#fifty at once with one link',
    'routes/register.test.ts#POST /register → mail',
    'attacks/mail-sign-in.test.ts#one code or link twenty times at once'
  ),
  '6.5.2': notMet(
    'Codes with less than 112 random bits are stored with a slow, salted hash',
    'Recovery codes have 80 bits, so that people can type them, and are stored as SHA-256 with the user id. ' +
    'Links have 256 bits, and the keys of authenticator apps are encrypted. Codes in mails have six digits, and are ' +
    'stored as an HMAC whose key is not in the database.',
    'plugins/records/secrets-at-rest.test.ts#no token, password or',
    'src/factors/recovery-codes.test.ts#the digest belongs to',
    'plugins/mail/mail.test.ts#verify: sent after the'
  ),
  '6.5.3': shown(
    'Codes come from a secure random generator',
    'src/factors/recovery-codes.test.ts#ten codes of 80 bits',
    'source.test.ts#source: no Math.random',
    'plugins/mail/mail.test.ts#verify: sent after the'
  ),
  '6.5.4': shown(
    'Codes have at least 20 bits of entropy (recovery codes: 80, links: 256; codes in mails: 6 digits, with limits)',
    'src/factors/recovery-codes.test.ts#ten codes of 80 bits',
    'asvs/accounts.test.ts#links have 256 random',
    'attacks/mail-code-guesses.test.ts#four weeks of guesses'
  ),
  '6.5.5': shown(
    'Codes of authenticator apps expire after 30 seconds, with one step of tolerance',
    'src/factors/totp.test.ts#one step before and after',
    'routes/login/second-factor.test.ts#a used code, the one before last'
  ),
  '6.6.1': notApplicable('SMS is only used with restrictions', 'No SMS.'),
  '6.6.2': shown(
    'A code is bound to its request',
    'attacks/mail-sign-in.test.ts#a code tried from another browser',
    'plugins/accounts/mail-codes.test.ts#POST /api/auth/email/confirm: the code, in the session',
    'routes/login/second-factor.test.ts#a step is used once',
    'routes/login/passkey.test.ts#a challenge is used once',
    'routes/reset-password.test.ts#POST /reset-password/confirm: an old',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-b/callback: with the'
  ),
  '6.6.3': shown(
    'Guessing codes is prevented',
    'attacks/mail-code-guesses.test.ts#four weeks of guesses',
    'attacks/mail-code-guesses.test.ts#five tries for a code',
    'routes/login/second-factor.test.ts#ten wrong codes an hour',
    'routes/login/second-factor.test.ts#five tries for each step',
    'asvs/accounts.test.ts#links have 256 random',
    'plugins/edge/limits-general.test.ts#general limit: one count'
  ),
  '6.8.1': shown(
    'Identities of different providers cannot be confused',
    'routes/api/auth/social.test.ts#callback: the same email',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-b/callback: with the',
    'src/providers/providers.test.ts#an email counts when'
  ),
  '6.8.2': notApplicable(
    'Signatures of assertions are verified',
    'No assertions from browsers: the service requests the profile from the provider over TLS.'
  ),
  '6.8.3': notApplicable('SAML assertions are single-use', 'No SAML.'),
  '6.8.4': shown(
    "Strength of a provider's sign-in: one factor is assumed, and its time is checked where a new one is asked for",
    'asvs/decisions.test.ts#ways to sign in',
    'routes/api/auth/social-second-factor.test.ts#an account with a second factor is asked',
    'routes/api/auth/social-second-factor.test.ts#older than the request'
  ),
}
