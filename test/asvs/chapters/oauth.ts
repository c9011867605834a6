import { notApplicable, shown, type Chapter } from '../entry.ts'

const NO_SERVER = 'The service is a client of providers, not an authorization server.'

export const OAUTH: Chapter = {
  '10.1.1': shown(
    'Tokens go only to components that need them',
    'routes/api/auth/social.test.ts#/callback: a new user',
    'plugins/records/secrets-at-rest.test.ts#no token, password or'
  ),
  '10.1.2': shown(
    'Only the browser that started a sign-in can finish it',
    'routes/api/auth/social.test.ts#/callback: replayed or in',
    'routes/api/auth/social.test.ts#callback: the transaction cookie of another sign-in',
    'attacks/swapped-cookies.test.ts#signed cookies: the value of each',
    'attacks/forged-callbacks.test.ts#/callback: 250 forged ones'
  ),
  '10.2.1': shown(
    'The code flow is protected against CSRF',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'routes/api/auth/social.test.ts#/callback: cancelled',
    'routes/api/auth/social.test.ts#/callback: provider misbehaves, back',
    'attacks/tossed-cookies.test.ts#GET /api/auth/provider-a/callback: planted'
  ),
  '10.2.2': shown(
    'No mix-up of providers',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-b/callback: with the',
    'routes/api/auth/open-id.test.ts#callback: without `iss`, or'
  ),
  '10.3.1': shown(
    'The API accepts only tokens meant for it',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'
  ),
  '10.3.2': shown(
    'Authorization follows the claims of the token',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: of another',
    'plugins/edge/limits-general.test.ts#general limit: two users'
  ),
  '10.3.3': shown(
    'Users are identified by claims that are never reassigned',
    'asvs/accounts.test.ts#a reused username gives'
  ),
  '10.3.4': notApplicable('Tokens state the strength of the sign-in', 'No operation requires more than one factor.'),
  '10.4.1': notApplicable('Server: redirect URIs are listed', NO_SERVER),
  '10.4.2': notApplicable('Server: codes are single-use', NO_SERVER),
  '10.4.3': notApplicable('Server: codes are short-lived', NO_SERVER),
  '10.4.4': notApplicable('Server: only required grants', NO_SERVER),
  '10.4.5': shown(
    'Refresh token reuse ends the session',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: the parent',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a grandparent',
    'routes/api/auth/refresh.test.ts#fifty at once with one token'
  ),
  '10.4.6': shown(
    'PKCE with S256 (as a client)',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'demo/provider-a.test.ts#no PKCE challenge'
  ),
  '10.4.7': notApplicable('Server: dynamic client registration', NO_SERVER),
  '10.4.8': shown(
    'Refresh tokens have an absolute expiration',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a session'
  ),
  '10.4.9': shown(
    'Users can revoke refresh tokens',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: another session',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions: ends all'
  ),
  '10.4.10': shown(
    'Clients authenticate (as a client: with the secret in the body)',
    'demo/provider-a.test.ts#a code works once',
    'routes/api/auth/social.test.ts#/callback: a new user'
  ),
  '10.4.11': notApplicable('Server: only required scopes', NO_SERVER),
  '10.5.1': shown(
    'ID tokens cannot be replayed (discovered providers; without discovery none is used)',
    'routes/api/auth/open-id.test.ts#callback: the provider misbehaves'
  ),
  '10.5.2': shown(
    'Users are identified by the id at the provider, not the email',
    'routes/api/auth/social.test.ts#callback: the same email',
    'routes/api/auth/social.test.ts#/callback: a new user',
    'routes/api/auth/open-id.test.ts#callback: the same subject at two'
  ),
  '10.5.3': shown(
    'The issuer matches the configuration',
    'routes/api/auth/open-id-discovery.test.ts#discovery: a document of another'
  ),
  '10.5.4': shown(
    'ID tokens are meant for this client',
    'routes/api/auth/open-id.test.ts#callback: the provider misbehaves'
  ),
  '10.5.5': notApplicable('Back-channel logout', 'Not offered: see docs/security-decisions.md on sessions.'),
  '10.6.1': notApplicable('Provider: response types', 'The service is not an OpenID provider.'),
  '10.6.2': shown(
    'No forced sign-out by other sites',
    'plugins/edge/same-origin.test.ts#unsafe methods',
    'attacks/cross-origin.test.ts#routes that change something',
    'attacks/openid-sign-out.test.ts#GET /oidc/logout with the mark'
  ),
  '10.7.1': notApplicable('Server: consent', NO_SERVER),
  '10.7.2': shown(
    'Consent names the application, the account and what the application gets',
    'pages/interaction.test.ts#consent: who asks',
    'pages/interaction.test.ts#consent: a scope without a text'
  ),
  '10.7.3': shown(
    'Users can see what they have allowed, and revoke it',
    'routes/api/auth/applications.test.ts#GET /api/auth/applications: those that',
    'routes/api/auth/applications.test.ts#consent, grants and sessions end',
    'pages/applications.test.ts#the list, and a session'
  ),
}
