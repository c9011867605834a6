import { notApplicable, notMet, shown, type Chapter } from '../entry.ts'

export const SESSIONS: Chapter = {
  '7.1.1': shown('Session lifetimes are documented', 'asvs/decisions.test.ts#sessions: the figures'),
  '7.1.2': shown(
    'The number of concurrent sessions is documented',
    'asvs/decisions.test.ts#sessions: the figures',
    'routes/api/auth/sessions.test.ts#POST /login: 120 sign-ins',
    'routes/login/login.test.ts#POST /login: ends the'
  ),
  '7.1.3': shown('The relation to sessions at providers is documented', 'asvs/decisions.test.ts#sessions: the figures'),
  '7.2.1': shown(
    'The server verifies every token',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'plugins/sessions/sessions-model.test.ts#sessions behave',
    'routes/api/auth/device.test.ts#a copy of the cookies is refused'
  ),
  '7.2.2': shown('Tokens are generated for each session', 'asvs/accounts.test.ts#every sign-in gets unique'),
  '7.2.3': notApplicable(
    'Reference tokens have 128 random bits',
    'Tokens are signed, not references: guessing one means forging a signature of 256 bits.'
  ),
  '7.2.4': shown(
    'A sign-in or a proof of identity issues new tokens and ends the previous session',
    'routes/login/login.test.ts#POST /login: ends the',
    'attacks/tossed-cookies.test.ts#POST /login: with the',
    'routes/api/auth/social.test.ts#callback: the session that the start presented',
    'attacks/copied-cookies.test.ts#a copy of the cookies from before a proof',
    'plugins/sessions/replace-session.test.ts#a second factor that is added replaces the session'
  ),
  '7.3.1': shown(
    'Sessions have an inactivity timeout',
    'asvs/accounts.test.ts#POST /api/auth/refresh: session unused',
    'operator/session.test.ts#a session ends: idle'
  ),
  '7.3.2': shown(
    'Sessions have an absolute lifetime',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a session'
  ),
  '7.4.1': shown(
    'After sign-out the session cannot be used',
    'plugins/infrastructure/revocations.test.ts#both instances refuse',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a revoked',
    'routes/api/auth/sessions.test.ts#an ended session changes nothing'
  ),
  '7.4.2': shown(
    'Disabling or deleting an account ends its sessions',
    'plugins/infrastructure/revocations.test.ts#both instances refuse',
    'routes/api/auth/refresh.test.ts#a disabled or deleted user',
    'routes/api/auth/me.test.ts#DELETE /api/auth/me: deletes everything',
    'operator/session.test.ts#a session ends: idle'
  ),
  '7.4.3': shown(
    'A password change ends the other sessions; after a change of another factor, users can end them',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: ends the',
    'routes/api/auth/password/change.test.ts#the first password of a social-only',
    'routes/reset-password.test.ts#POST /reset-password → mail',
    'routes/api/auth/sessions.test.ts#ends all other sessions',
    'routes/api/auth/email.test.ts#restores the address and ends',
    'plugins/accounts/email-changes.test.ts#a requested change ends'
  ),
  '7.4.4': shown('Sign-out is easy to find', 'pages/journey.test.ts#sign out: in all'),
  '7.4.5': shown(
    'Operators can end sessions',
    'src/cli/user.test.ts#user end-sessions, disable, enable',
    'operator/users.test.ts#actions on an account'
  ),
  '7.5.1': shown(
    'Sensitive changes require the password or a fresh proof of identity',
    'routes/api/auth/factors/totp.test.ts#without a fresh proof',
    'routes/api/auth/factors/passkeys.test.ts#without a recent proof',
    'routes/api/auth/email.test.ts#without a recent proof',
    'routes/api/auth/social-second-factor.test.ts#the provider asks again',
    'routes/api/auth/reauthenticate.test.ts#with a second factor, a code',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: wrong current',
    'routes/api/auth/me.test.ts#DELETE /api/auth/me: deletes everything',
    'routes/api/auth/export.test.ts#no fresh proof (403)',
    'operator/attacks.test.ts#fresh proof: every change'
  ),
  '7.5.2': notMet(
    'Users can see their sessions, and end them after they have proved their identity again',
    'Ending a session needs no new proof: a user who sees an unknown device can end it at once.',
    'routes/api/auth/sessions.test.ts#devices in words',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: another session',
    'pages/journey.test.ts#end the session of'
  ),
  '7.6.1': shown(
    'Sessions here, at providers and at applications behave as documented',
    'asvs/decisions.test.ts#sessions: the figures',
    'routes/api/auth/social.test.ts#/callback: a new user',
    'plugins/webhooks/ended-sign-ins.test.ts#after a proof of identity',
    'plugins/webhooks/back-channel-logout.test.ts#a token that the published keys verify'
  ),
  '7.6.2': shown(
    'No session without an action of the user',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'routes/api/auth/social.test.ts#HEAD and prefetch',
    'plugins/edge/same-origin.test.ts#POST /login: from another'
  ),
}

export const AUTHORIZATION: Chapter = {
  '8.1.1': shown('Authorization rules are documented', 'asvs/decisions.test.ts#section on permissions: every'),
  '8.1.2': shown(
    'Rules for reading and writing fields are documented',
    'asvs/decisions.test.ts#section on permissions: every',
    'openapi.test.ts#GET /openapi.json: every operation'
  ),
  '8.2.1': shown(
    'Each route checks authorization',
    'routes/api/content.test.ts#GET /api/content, /api/content/:slug: signed',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'contract.test.ts#every documented status is',
    'operator/keys.test.ts#every route: a key with all scopes',
    'operator/listener.test.ts#no operator route is on the public port'
  ),
  '8.2.2': shown(
    'No access to data of other users',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: of another',
    'routes/api/auth/events.test.ts#GET /api/auth/events: the events',
    'routes/api/auth/export.test.ts#no secret, and nothing of another user'
  ),
  '8.2.3': shown(
    'No access to fields beyond the permissions',
    'schemas/bad-input.test.ts#every route with a',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '8.3.1': shown(
    'Authorization is enforced on the server',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'src/database/migrate.test.ts#PostgreSQL denies the service',
    'operator/keys.test.ts#a key is needed: missing'
  ),
  '8.4.1': notApplicable('Tenants are separated', 'The service has no tenants.'),
}

export const TOKENS: Chapter = {
  '9.1.1': shown('The signature is verified first', 'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'),
  '9.1.2': shown('Only one algorithm, never none', 'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'),
  '9.1.3': shown(
    'Keys come only from the settings',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'secret-rotation.test.ts#tokens signed with neither'
  ),
  '9.2.1': shown(
    'Token expiration is enforced',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'src/sessions/verified-tokens.test.ts#a token is cached'
  ),
  '9.2.2': shown(
    'A token of one type is not accepted as another',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: no cookie'
  ),
  '9.2.3': shown(
    'Only tokens for this service are accepted',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'secret-rotation.test.ts#tokens signed with neither'
  ),
  '9.2.4': notApplicable(
    'One key for many audiences',
    'The secret is used for one audience: the service with the apps that it guards.'
  ),
}
