import { deployment, notApplicable, notMet, shown, type Chapter } from '../entry.ts'

export const FRONT_END: Chapter = {
  '3.2.1': shown(
    'No response is rendered in the wrong context',
    'plugins/edge/headers.test.ts#every response has the',
    'src/error-handler.test.ts#every error: its status'
  ),
  '3.2.2': shown(
    'Text is shown as text',
    'pages/dashboard.test.ts#devices and events in words',
    'source.test.ts#source: no markup from'
  ),
  '3.3.1': notMet(
    'Cookies are Secure and have the prefix __Secure- or __Host-',
    'They are Secure in production. The specification prescribes the names `access_token` and `refresh_token`.',
    'routes/login/login.test.ts#POST /login: exact cookies',
    'plugins/sessions/csrf.test.ts#_csrf is Secure'
  ),
  '3.3.2': shown(
    'SameSite is set for each cookie',
    'routes/login/login.test.ts#POST /login: exact cookies',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'pages/social.test.ts#sign-in with a provider'
  ),
  '3.3.3': notMet(
    'Cookies have the prefix __Host-',
    'The specification prescribes the names of the token cookies. Their attributes are those of the prefix; injected ' +
      'cookies are tested. In production, the cookies of a sign-in through a provider have the prefix, and with ' +
      'COOKIE_DOMAIN the refresh token too.',
    'routes/login/login.test.ts#POST /login: exact cookies',
    'attacks/tossed-cookies.test.ts#POST /api/sensitive: CSRF cookie',
    'attacks/tossed-cookies.test.ts#GET /api/auth/provider-a/callback: planted',
    'attacks/tossed-cookies.test.ts#two hosts: planted cookies'
  ),
  '3.3.4': shown(
    'Tokens are only in HttpOnly cookies',
    'routes/login/login.test.ts#POST /login: exact cookies',
    'plugins/records/secrets-at-rest.test.ts#no token, password or'
  ),
  '3.4.1': shown(
    'HSTS of a year on every response',
    'plugins/edge/headers.test.ts#every response has the',
    'plugins/edge/headers.test.ts#invalid HTTP and an',
    'deploy/nginx.long.ts#HSTS: once on every'
  ),
  '3.4.2': shown(
    'CORS: none or listed origins',
    'attacks/cross-origin.test.ts#CORS: no response can',
    'plugins/edge/app-origins.test.ts#CORS: unsafe requests of an app'
  ),
  '3.4.3': shown(
    'Content-Security-Policy, with object-src and base-uri none; the pages allow no inline code',
    'plugins/edge/headers.test.ts#every response has the',
    'pages/content-policy.test.ts#inline code in a page',
    'plugins/site/pages.test.ts#GET and HEAD of'
  ),
  '3.4.4': shown(
    'X-Content-Type-Options: nosniff on every response',
    'plugins/edge/headers.test.ts#every response has the',
    'attacks/raw-requests.test.ts#ambiguous requests (400): the'
  ),
  '3.4.5': shown(
    'Referrer-Policy hides paths and queries',
    'plugins/edge/headers.test.ts#every response has the',
    'pages/journey.test.ts#verify: the token leaves'
  ),
  '3.4.6': shown('Framing is forbidden', 'plugins/edge/headers.test.ts#every response has the'),
  '3.5.1': shown(
    'Requests that change something come from own pages',
    'plugins/edge/same-origin.test.ts#unsafe methods',
    'plugins/sessions/csrf.test.ts#POST /api/sensitive: missing',
    'attacks/tossed-cookies.test.ts#POST /api/sensitive: CSRF cookie',
    'operator/attacks.test.ts#CSRF: every change'
  ),
  '3.5.2': shown(
    'No sensitive request without a preflight',
    'attacks/cross-origin.test.ts#body types that a',
    'plugins/edge/same-origin.test.ts#unsafe methods'
  ),
  '3.5.3': shown(
    'GET, HEAD and OPTIONS change nothing',
    'attacks/cross-origin.test.ts#routes that change something',
    'routes/api/auth/social.test.ts#HEAD and prefetch'
  ),
  '3.5.4': deployment(
    'Each application has its own host name',
    'Give the service its own host name, or that of the app that it guards.'
  ),
  '3.5.5': shown(
    'Messages of other windows are checked or ignored',
    'source.test.ts#source: no messages from'
  ),
  '3.7.1': shown('No obsolete client technology', 'source.test.ts#source: no obsolete client'),
  '3.7.2': shown(
    'Redirects lead to listed targets',
    'attacks/open-redirects.test.ts#open redirects: no query',
    'pages/login.test.ts#already signed in: redirected',
    'pages/safe-next.test.ts#next: no value leads'
  ),
}

export const API: Chapter = {
  '4.1.1': shown(
    'Content-Type is correct, with its charset',
    'src/error-handler.test.ts#every error: its status',
    'contract.test.ts#every documented status is',
    'attacks/raw-requests.test.ts#ambiguous requests (400): the'
  ),
  '4.1.2': notMet(
    'Only pages are redirected from HTTP to HTTPS',
    'The specification requires a 301 on every path. A POST is not forwarded: clients follow with a GET.',
    'deploy/nginx.long.ts#plain HTTP'
  ),
  '4.1.3': shown(
    'No client can set the headers of the front end',
    'deploy/nginx.long.ts#POST /login: with a',
    'attacks/forged-host.test.ts#a forged host',
    'plugins/edge/limits-address.test.ts#without TRUST_PROXY',
    'deploy/guarded-app.long.ts#signed out, with forged'
  ),
  '4.2.1': shown(
    'No request smuggling',
    'attacks/raw-requests.test.ts#ambiguous requests (400): the',
    'attacks/raw-requests.test.ts#a request inside the',
    'attacks/raw-requests.test.ts#pipelining: each request gets'
  ),
  '4.3.1': notApplicable('GraphQL: query cost is limited', 'No GraphQL.'),
  '4.3.2': notApplicable('GraphQL: no introspection', 'No GraphQL.'),
  '4.4.1': notApplicable('WebSocket over TLS', 'No WebSocket.'),
  '4.4.2': notApplicable('WebSocket: the origin is checked', 'No WebSocket.'),
  '4.4.3': notApplicable('WebSocket: dedicated tokens', 'No WebSocket.'),
  '4.4.4': notApplicable('WebSocket: tokens come from the session', 'No WebSocket.'),
}

export const FILES: Chapter = {
  '5.1.1': notApplicable('Uploads are documented', 'No uploads.'),
  '5.2.1': notApplicable('File sizes are limited', 'No uploads.'),
  '5.2.2': notApplicable('File types are checked', 'No uploads.'),
  '5.2.3': notApplicable('Archive sizes are limited', 'No uploads.'),
  '5.3.1': notApplicable('Uploads are never executed', 'No uploads.'),
  '5.3.2': shown(
    'No file path is built from input',
    'attacks/files.test.ts#path traversal: only the',
    'plugins/site/pages.test.ts#GET /gatehouse: cached with'
  ),
  '5.4.1': notApplicable('File names from users are validated', 'No downloads.'),
  '5.4.2': notApplicable('File names in headers are encoded', 'No downloads.'),
  '5.4.3': notApplicable('Files are scanned for malware', 'No uploads.'),
}
