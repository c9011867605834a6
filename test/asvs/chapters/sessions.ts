import { notApplicable, notMet, shown, type Chapter } from '../entry.ts'

export const SESSIONS: Chapter = {
  '7.1.1': shown('How long sessions last is written down', 'asvs/decisions.test.ts#sessions: the figures'),
  '7.1.2': shown(
    'How many at once is written down',
    'asvs/decisions.test.ts#sessions: the figures',
    'routes/api/auth/sessions.test.ts#POST /login: 120 sign-ins',
    'routes/login.test.ts#POST /login: ends the'
  ),
  '7.1.3': shown('How sessions at providers matter is written down', 'asvs/decisions.test.ts#sessions: the figures'),
  '7.2.1': shown(
    'The server checks every token',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'model/sessions.test.ts#sessions behave'
  ),
  '7.2.2': shown('Tokens are made for each session', 'asvs/accounts.test.ts#every sign-in gets unique'),
  '7.2.3': notApplicable(
    'Reference tokens have 128 random bits',
    'Tokens are signed, and no reference: to guess one is to forge a signature of 256 bits.'
  ),
  '7.2.4': shown(
    'A sign-in makes a new token and ends the one before',
    'routes/login.test.ts#POST /login: ends the',
    'attacks/tossed-cookies.test.ts#POST /login: with the'
  ),
  '7.3.1': shown('A session ends without use', 'asvs/accounts.test.ts#POST /api/auth/refresh: session unused'),
  '7.3.2': shown('A session ends in any case', 'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a session'),
  '7.4.1': notMet(
    'After sign-out nothing works any more',
    'Refresh tokens end at once, and what changes an account asks whether the session lives. An access token is checked by its signature alone and reads on for 15 minutes at most.',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a revoked',
    'routes/api/auth/sessions.test.ts#an ended session with'
  ),
  '7.4.2': notMet(
    'Disabling or deleting an account ends its sessions',
    'They end at once, but for access tokens: those read on for 15 minutes at most.',
    'routes/api/auth/refresh.test.ts#a disabled or deleted user',
    'routes/api/auth/me.test.ts#DELETE /api/auth/me: deletes everything'
  ),
  '7.4.3': shown(
    'A new password ends the other sessions',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: ends the',
    'routes/reset-password.test.ts#POST /reset-password → mail'
  ),
  '7.4.4': shown('Signing out is in plain sight', 'pages/journey.test.ts#sign out: in all'),
  '7.4.5': shown('Whoever runs it can end sessions', 'src/cli/user.test.ts#user end-sessions, disable, enable'),
  '7.5.1': shown(
    'What matters asks for the password again',
    'routes/api/auth/password/change.test.ts#POST /api/auth/password: wrong current',
    'routes/api/auth/me.test.ts#DELETE /api/auth/me: deletes everything'
  ),
  '7.5.2': shown(
    'People see and end their sessions',
    'routes/api/auth/sessions.test.ts#devices in words',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: another session',
    'pages/journey.test.ts#end the session of'
  ),
  '7.6.1': shown(
    'Sessions here and at providers are as written',
    'asvs/decisions.test.ts#sessions: the figures',
    'routes/api/auth/social.test.ts#/callback: a new user'
  ),
  '7.6.2': shown(
    'No session without an act of the person',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'routes/api/auth/social.test.ts#HEAD and prefetch',
    'plugins/edge/same-origin.test.ts#POST /login: from another'
  ),
}

export const AUTHORIZATION: Chapter = {
  '8.1.1': shown('Who may do what is written down', 'asvs/decisions.test.ts#section on permissions: every'),
  '8.1.2': shown(
    'Who may read and write which field is written down',
    'asvs/decisions.test.ts#section on permissions: every',
    'openapi.test.ts#GET /openapi.json: every operation'
  ),
  '8.2.1': shown(
    'Each route is for those who may',
    'routes/api/content.test.ts#GET /api/content, /api/content/:slug: signed',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'contract.test.ts#every documented status is'
  ),
  '8.2.2': shown(
    'Nobody gets at what belongs to others',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: of another',
    'routes/api/auth/events.test.ts#GET /api/auth/events: the events'
  ),
  '8.2.3': shown(
    'Nobody reads or sets fields beyond theirs',
    'bad-input.test.ts#every route with a',
    'attacks/fuzz.test.ts#500 requests'
  ),
  '8.3.1': shown(
    'The server decides',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'src/database/migrate.test.ts#PostgreSQL denies the service'
  ),
  '8.4.1': notApplicable('Tenants are kept apart', 'One service has one set of users.'),
}

export const TOKENS: Chapter = {
  '9.1.1': shown('The signature is checked first', 'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'),
  '9.1.2': shown('One algorithm, and never none', 'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'),
  '9.1.3': shown(
    'Keys come from the settings alone',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'secret-rotation.test.ts#tokens signed with neither'
  ),
  '9.2.1': shown(
    'Tokens end when they say',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'src/tokens/verified-tokens.test.ts#a token is cached'
  ),
  '9.2.2': shown(
    'A token of one kind is none of another',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: no cookie'
  ),
  '9.2.3': shown(
    'Only tokens that are meant for this service',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'secret-rotation.test.ts#tokens signed with neither'
  ),
  '9.2.4': notApplicable(
    'One key for many audiences',
    'The secret is for one audience: the service, and the apps that it guards as one.'
  ),
}
