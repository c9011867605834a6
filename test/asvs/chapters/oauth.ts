import { notApplicable, shown, type Chapter } from '../entry.ts'

const NO_SERVER = 'The service is a client of providers, and no authorization server.'
const NO_ID_TOKEN = 'No ID token is used: the provider is asked who it is, over TLS, with the access token.'

export const OAUTH: Chapter = {
  '10.1.1': shown(
    'Tokens go to nobody who does not need them',
    'routes/api/auth/social.test.ts#/callback: a new user',
    'secrets.test.ts#no token, password or'
  ),
  '10.1.2': shown(
    'Only the browser that began a sign-in can end it',
    'routes/api/auth/social.test.ts#/callback: replayed or in'
  ),
  '10.2.1': shown(
    'The code flow is safe from forged requests',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'routes/api/auth/social.test.ts#/callback: provider misbehaves, back'
  ),
  '10.2.2': shown(
    'Providers cannot be mixed up',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-b/callback: with the'
  ),
  '10.3.1': shown('The API takes tokens meant for it', 'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'),
  '10.3.2': shown(
    'Decisions follow the claims of the token',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: of another',
    'plugins/edge/limits-general.test.ts#general limit: two users'
  ),
  '10.3.3': shown(
    'Users are known by what is never given to another',
    'asvs/accounts.test.ts#a reused username gives'
  ),
  '10.3.4': notApplicable('Tokens say how strong the sign-in was', 'Nothing asks for more than one factor.'),
  '10.4.1': notApplicable('Server: redirect addresses are listed', NO_SERVER),
  '10.4.2': notApplicable('Server: a code is used once', NO_SERVER),
  '10.4.3': notApplicable('Server: a code is short-lived', NO_SERVER),
  '10.4.4': notApplicable('Server: only grants that are needed', NO_SERVER),
  '10.4.5': shown(
    'A refresh token that is used twice ends its session',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: the parent',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a grandparent',
    'routes/api/auth/refresh.test.ts#fifty at once with one token'
  ),
  '10.4.6': shown(
    'PKCE: as a client, always with S256',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'demo/provider-a.test.ts#no PKCE challenge'
  ),
  '10.4.7': notApplicable('Server: clients that register themselves', NO_SERVER),
  '10.4.8': shown(
    'Refresh tokens have an end, however often they are used',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a session'
  ),
  '10.4.9': shown(
    'People can revoke refresh tokens',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: another session',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions: ends all'
  ),
  '10.4.10': shown(
    'A client proves who it is: as one, with its secret, in the body',
    'demo/provider-a.test.ts#a code works once',
    'routes/api/auth/social.test.ts#/callback: a new user'
  ),
  '10.4.11': notApplicable('Server: only scopes that are needed', NO_SERVER),
  '10.5.1': notApplicable('An ID token is not used twice', NO_ID_TOKEN),
  '10.5.2': shown(
    'A person is the id at the provider, not the address',
    'routes/api/auth/social.test.ts#callback: the same email',
    'routes/api/auth/social.test.ts#/callback: a new user'
  ),
  '10.5.3': notApplicable(
    'The issuer is the one that was set',
    'Addresses come from the settings, not from a discovery document.'
  ),
  '10.5.4': notApplicable('An ID token is meant for this client', NO_ID_TOKEN),
  '10.5.5': notApplicable('Back-channel logout', 'Not offered: see the decisions on sessions.'),
  '10.6.1': notApplicable('Provider: response types', 'The service is no OpenID provider.'),
  '10.6.2': shown(
    'Nobody can be signed out by others',
    'plugins/edge/same-origin.test.ts#unsafe methods',
    'attacks/cross-origin.test.ts#routes that change something'
  ),
  '10.7.1': notApplicable('Server: consent', NO_SERVER),
  '10.7.2': notApplicable('Server: what consent says', NO_SERVER),
  '10.7.3': notApplicable('Server: consent can be taken back', NO_SERVER),
}
