import { notApplicable, notMet, shown, type Chapter } from '../entry.ts'

const NO_SECOND_FACTOR = 'There is no second factor.'

export const AUTHENTICATION: Chapter = {
  '6.1.1': shown(
    'What slows guessing is written down, and locks nobody out',
    'asvs/decisions.test.ts#ways to sign in',
    'plugins/edge/limits.test.ts#POST /login: a known'
  ),
  '6.1.2': shown(
    'Words that passwords may not be made of are written down',
    'asvs/decisions.test.ts#section on valid input',
    'src/passwords/policy.test.ts#user words: values, parts'
  ),
  '6.1.3': shown(
    'Every way to sign in is written down',
    'asvs/decisions.test.ts#ways to sign in',
    'app.test.ts#the route table is complete'
  ),
  '6.2.1': shown(
    'Passwords have 8 characters or more',
    'routes/register.test.ts#POST /register: a weak',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: breaks every'
  ),
  '6.2.2': shown(
    'A password can be changed',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: ends the'
  ),
  '6.2.3': shown(
    'To change it takes the current one',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: wrong current',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: guesses at'
  ),
  '6.2.4': shown('The 3,000 most common are refused', 'asvs/accounts.test.ts#the 3,000 most common'),
  '6.2.5': notMet(
    'No rules for what characters a password has',
    'The specification of the service asks for lowercase, uppercase, a number and a special character.',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: breaks every'
  ),
  '6.2.6': shown(
    'Passwords are masked, and can be shown',
    'pages/login.test.ts#show the password, hidden',
    'asvs/accounts.test.ts#password fields are masked'
  ),
  '6.2.7': shown(
    'Password managers work',
    'asvs/accounts.test.ts#password fields are masked',
    'plugins/site/pages.test.ts#GET /.well-known/change-password'
  ),
  '6.2.8': shown(
    'A password counts exactly as it was typed',
    'plugins/credentials/passwords.test.ts#passwords that bcrypt cannot',
    'routes/login.test.ts#POST /login: one response',
    'asvs/accounts.test.ts#a password of 64 characters'
  ),
  '6.2.9': shown('64 characters are allowed', 'asvs/accounts.test.ts#a password of 64 characters'),
  '6.2.10': shown('Nobody is made to change a password', 'asvs/accounts.test.ts#POST /login: a five-year-old'),
  '6.2.11': shown(
    'Such words make a password weak',
    'asvs/accounts.test.ts#POST /api/auth/password/check: BRAND_NAME in',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: made of'
  ),
  '6.2.12': notMet(
    'Passwords from breaches are refused',
    'Only the 30,000 most common ones, which zxcvbn knows. There is no list of all that were ever breached, and no outside service is asked.',
    'asvs/accounts.test.ts#the 3,000 most common'
  ),
  '6.3.1': shown(
    'Guessing is slowed as written',
    'plugins/edge/limits.test.ts#POST /login: sixth wrong',
    'plugins/edge/limits.test.ts#many addresses guess at one account',
    'plugins/edge/limits.test.ts#POST /login: sixth guess',
    'plugins/edge/limits-hydra.test.ts#POST /login: hydra does'
  ),
  '6.3.2': shown(
    'No default accounts',
    'asvs/accounts.test.ts#a new database has',
    'src/config.test.ts#the embedded stack runs'
  ),
  '6.3.3': notMet('A second factor', `${NO_SECOND_FACTOR} Providers may ask for one; the service does not know.`),
  '6.3.4': shown(
    'No hidden way in, and the same checks on each',
    'app.test.ts#the route table is complete',
    'routes/login.test.ts#POST /login: one response',
    'routes/api/auth/social.test.ts#callback: a disabled account',
    'routes/api/auth/refresh.test.ts#a disabled or deleted user'
  ),
  '6.4.1': shown(
    'First secrets are random, short-lived and used once',
    'routes/register.test.ts#POST /register → mail',
    'routes/reset-password.test.ts#links: a reset expires'
  ),
  '6.4.2': shown('No hints or secret questions', 'openapi.test.ts#GET /openapi.json: every route'),
  '6.4.3': shown(
    'A forgotten password is no way around',
    'routes/reset-password.test.ts#POST /reset-password → mail',
    'routes/reset-password.test.ts#POST /reset-password/confirm: an old',
    'routes/reset-password.test.ts#POST /reset-password: one response'
  ),
  '6.4.4': notApplicable('A lost factor is proven anew', NO_SECOND_FACTOR),
  '6.5.1': shown(
    'Codes are used once: here, links',
    'routes/reset-password.test.ts#fifty at once with one link',
    'routes/register.test.ts#POST /register → mail'
  ),
  '6.5.2': shown(
    'Codes are stored hashed',
    'secrets.test.ts#no token, password or',
    'plugins/flows/mail.test.ts#verify: sent after the'
  ),
  '6.5.3': shown(
    'Codes come from a good source of chance',
    'source.test.ts#source: no Math.random',
    'plugins/flows/mail.test.ts#verify: sent after the'
  ),
  '6.5.4': shown('Codes have 20 bits or more: here, 256', 'asvs/accounts.test.ts#links have 256 random'),
  '6.5.5': notApplicable(
    'Codes to sign in with end after 10 minutes',
    'No code or link signs anybody in. A reset link ends after an hour.'
  ),
  '6.6.1': notApplicable('SMS is limited', 'No SMS.'),
  '6.6.2': shown(
    'A code belongs to its request',
    'routes/reset-password.test.ts#POST /reset-password/confirm: an old',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-b/callback: with the'
  ),
  '6.6.3': shown(
    'Codes cannot be guessed',
    'asvs/accounts.test.ts#links have 256 random',
    'plugins/edge/limits-general.test.ts#general limit: one count'
  ),
  '6.8.1': shown(
    'Who somebody is at one provider is nobody at another',
    'routes/api/auth/social.test.ts#callback: the same email',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-b/callback: with the',
    'src/providers/providers.test.ts#an email counts when'
  ),
  '6.8.2': notApplicable(
    'Signatures of assertions are checked',
    'No assertion is taken from a browser: the provider itself is asked, over TLS.'
  ),
  '6.8.3': notApplicable('SAML assertions are used once', 'No SAML.'),
  '6.8.4': shown(
    "How strong a provider's sign-in was: one factor is assumed, and written down",
    'asvs/decisions.test.ts#ways to sign in'
  ),
}
