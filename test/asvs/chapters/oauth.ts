import { notApplicable, shown, type Chapter } from '../entry.ts'

export const OAUTH: Chapter = {
  '10.1.1': shown(
    'Tokens go only to components that need them',
    'routes/api/auth/social.test.ts#/callback: a new user',
    'plugins/records/secrets-at-rest.test.ts#no token, password or',
    'routes/oidc/tokens.test.ts#tokens: PostgreSQL has no value'
  ),
  '10.1.2': shown(
    'Only the browser that started a sign-in can finish it',
    'routes/api/auth/social.test.ts#/callback: replayed or in',
    'routes/api/auth/social.test.ts#callback: the transaction cookie of another sign-in',
    'attacks/swapped-cookies.test.ts#signed cookies: the value of each',
    'attacks/forged-callbacks.test.ts#/callback: 250 forged ones',
    'routes/oidc/consent.test.ts#not in another browser',
    'routes/oidc/session.test.ts#without a session: to the login page'
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
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'routes/oidc/asvs.test.ts#tokens of applications open nothing else',
    'routes/oidc/resources.test.ts#mixed audiences'
  ),
  '10.3.2': shown(
    'Authorization follows the claims of the token',
    'routes/oidc/asvs.test.ts#claims and tokens follow the scopes',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: of another',
    'plugins/edge/limits-general.test.ts#general limit: two users'
  ),
  '10.3.3': shown(
    'Users are identified by claims that are never reassigned',
    'asvs/accounts.test.ts#a reused username gives'
  ),
  '10.3.4': shown(
    'Required strength and recentness of the sign-in are checked: a fresh proof here, `acr` and `auth_time` elsewhere',
    'routes/api/auth/reauthenticate.test.ts#DELETE /api/auth/me: with a second factor',
    'routes/oidc/session.test.ts#prompt=login and max_age',
    'routes/oidc/session.test.ts#acr_values=aal2',
    'routes/oidc/resources.test.ts#a token for a resource'
  ),
  '10.4.1': shown(
    'Redirect URIs are listed for each application, and compared exactly',
    'routes/oidc/requests.test.ts#redirect URIs are compared exactly',
    'src/openid/redirect-uris.test.ts#redirect URIs: everything else is refused'
  ),
  '10.4.2': shown(
    'A code is accepted once, and its reuse ends the tokens',
    'routes/oidc/tokens.test.ts#code: of three exchanges at once',
    'routes/oidc/tokens.test.ts#code: a replay ends'
  ),
  '10.4.3': shown('A code lives for a minute', 'routes/oidc/tokens.test.ts#code: after a minute'),
  '10.4.4': shown(
    'Only the grants that are needed: code and refresh token, and client credentials for machines',
    'routes/oidc/machines.test.ts#a machine gets nothing beyond its record',
    'routes/oidc/requests.test.ts#what else there is: no other grant',
    'routes/oidc/requests.test.ts#errors of the RFC'
  ),
  '10.4.5': shown(
    'Refresh tokens rotate, and reuse ends the session, or what the application got',
    'routes/oidc/tokens.test.ts#refresh token: within the grace period',
    'routes/oidc/tokens.test.ts#refresh token: after the grace period',
    'routes/oidc/tokens.test.ts#refresh token: two generations back',
    'routes/oidc/dpop.test.ts#a stolen refresh token without the key',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: the parent',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a grandparent',
    'routes/api/auth/refresh.test.ts#fifty at once with one token'
  ),
  '10.4.6': shown(
    'PKCE with S256: required, unless an operator exempts an application with a secret; as a client always sent',
    'routes/oidc/requests.test.ts#PKCE with S256 is required',
    'routes/oidc/tokens.test.ts#code: after a minute',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'demo/provider-a.test.ts#no PKCE challenge'
  ),
  '10.4.7': shown(
    'Dynamic client registration is off by default; what registered itself is checked, and users are warned',
    'routes/oidc/registration.test.ts#off and documents: no endpoint',
    'routes/oidc/registration.test.ts#refused: what an application may not be',
    'routes/oidc/registration.test.ts#ignored: what would make it trusted',
    'routes/oidc/registration.test.ts#asked every time',
    'routes/oidc/client-documents.test.ts#refused: addresses and documents',
    'attacks/self-registration.test.ts#consent phishing',
    'attacks/self-registration.test.ts#ten thousand registrations from ten thousand'
  ),
  '10.4.8': shown(
    'Refresh tokens have an absolute expiration',
    'routes/api/auth/refresh.test.ts#POST /api/auth/refresh: a session',
    'routes/oidc/asvs.test.ts#refresh tokens have an absolute end'
  ),
  '10.4.9': shown(
    'Users can revoke refresh tokens',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions/:id: another session',
    'routes/api/auth/sessions.test.ts#DELETE /api/auth/sessions: ends all',
    'routes/oidc/consent.test.ts#disconnected: what the application holds',
    'routes/oidc/session.test.ts#what an application holds ends with the session'
  ),
  '10.4.10': shown(
    'Confidential clients authenticate at each endpoint (as a client: with the secret in the body)',
    'routes/oidc/asvs.test.ts#confidential applications authenticate',
    'routes/oidc/tokens.test.ts#secret: rotated with an overlap',
    'routes/oidc/machines.test.ts#private_key_jwt: a replayed assertion',
    'demo/provider-a.test.ts#a code works once',
    'routes/api/auth/social.test.ts#/callback: a new user'
  ),
  '10.4.11': shown(
    'Only the scopes for the claims about a user, and those that were asked for',
    'routes/oidc/asvs.test.ts#claims and tokens follow the scopes',
    'routes/oidc/consent.test.ts#consent: asked once for each set',
    'routes/oidc/resources.test.ts#scopes: none of the resource named'
  ),
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
  '10.5.5': notApplicable(
    'Clients check back-channel logouts',
    'As a client, none is accepted: see docs/security-decisions.md on sessions. As a provider, the service sends them.'
  ),
  '10.6.1': shown(
    'The only response type is `code`',
    'routes/oidc/requests.test.ts#errors of the RFC',
    'routes/oidc/requests.test.ts#discovery names what there is'
  ),
  '10.6.2': shown(
    'No forced sign-out by other sites',
    'plugins/edge/same-origin.test.ts#unsafe methods',
    'attacks/cross-origin.test.ts#routes that change something',
    'attacks/openid-sign-out.test.ts#GET /oidc/logout with the mark',
    'routes/oidc/sign-out.test.ts#sign-out without an ID token: the user is asked',
    'routes/oidc/sign-out.test.ts#an ID token of another session or user only asks'
  ),
  '10.7.1': shown(
    'Users consent to each application; one whose identity cannot be proved asks each time',
    'routes/oidc/consent.test.ts#consent: asked once for each set',
    'routes/oidc/consent.test.ts#prompt=none without consent',
    'routes/oidc/asvs.test.ts#consent: an application without an identity'
  ),
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
