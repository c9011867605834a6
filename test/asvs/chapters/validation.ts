import { shown, type Chapter } from '../entry.ts'

export const VALIDATION: Chapter = {
  '2.1.1': shown(
    'Input validation rules are documented',
    'asvs/decisions.test.ts#every input string has',
    'openapi.test.ts#GET /openapi.json: every operation'
  ),
  '2.1.2': shown(
    'Consistency rules for related fields are documented',
    'asvs/decisions.test.ts#section on valid input'
  ),
  '2.1.3': shown(
    'Limits are documented',
    'src/config.test.ts#docs/configuration.md lists each setting',
    'asvs/decisions.test.ts#section on expensive operations'
  ),
  '2.2.1': shown(
    'Input is validated against allowed values',
    'schemas/bad-input.test.ts#every route with a',
    'attacks/fuzz.long.ts#8,000 requests'
  ),
  '2.2.2': shown('Input is validated on the server', 'schemas/bad-input.test.ts#every route with a'),
  '2.2.3': shown(
    'Related fields are validated together',
    'routes/api/auth/password/check.test.ts#POST /api/auth/password/check: made of',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-b/callback: with the'
  ),
  '2.3.1': shown(
    'No step of a flow can be skipped',
    'routes/login/second-factor.test.ts#no other route accepts a step',
    'plugins/sessions/sessions-model.test.ts#sessions behave as the model',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'routes/api/auth/social-link.test.ts#with a second factor, linked after it',
    'routes/reset-password.test.ts#POST /reset-password/confirm: an old',
    'routes/register.test.ts#POST /register → mail',
    'operator/session.test.ts#wrong password (401), wrong code'
  ),
  '2.3.2': shown(
    'Limits are enforced',
    'plugins/edge/limits.test.ts#POST /login: two hundred wrong guesses',
    'plugins/edge/limits-general.test.ts#general limit: one count',
    'plugins/edge/limits-general.test.ts#POST /reset-password: twenty at once',
    'plugins/mail/mail.test.ts#five mails of a kind',
    'plugins/mail/mail.test.ts#POST /register with the address',
    'plugins/mail/fairness.test.ts#140 sign-ins without the device cookie',
    'attacks/login-flood.test.ts#right passwords of one account in a loop (429)',
    'operator/keys.test.ts#many wrong keys (429)'
  ),
  '2.3.3': shown(
    'Transactions are all or nothing',
    'plugins/infrastructure/database.test.ts#a transaction is all or nothing',
    'plugins/mail/mail.test.ts#a rolled-back transaction sends',
    'support/faults/check-history.ts#steps with faults'
  ),
  '2.3.4': shown(
    'Limited resources cannot be allocated twice',
    'routes/register.test.ts#POST /register: fifty at once with one username',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: fifty at once',
    'routes/reset-password.test.ts#POST /reset-password/confirm: fifty',
    'operator/idempotency.test.ts#many at once create one account'
  ),
  '2.4.1': shown(
    'Automated mass requests are limited',
    'plugins/edge/limits-general.test.ts#general limit: one count',
    'attacks/forged-callbacks.test.ts#/callback: 250 forged ones',
    'plugins/passwords/passwords.test.ts#full queue: refused at',
    'plugins/records/purge.test.ts#purge: deletes expired rows'
  ),
}
