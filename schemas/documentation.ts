/** The parts of the API documentation that concern the whole service. Routes are described in their own schemas. */
export const INFO = {
  title: 'Gatehouse',
  summary: 'An authentication service that runs beside your web application',
  description: [
    'Sign-in with a password or through an identity provider, sessions in cookies that scripts cannot read, and ' +
    'account management.\n',
    '- **Cookies**: tokens are sent in `HttpOnly`, `SameSite=Strict` cookies, never in a body. ' +
    'A page of the same site can call this API with plain `fetch`.',
    '- **Bodies** are JSON of at most 16 KiB. Values are not coerced, and unknown fields are refused.',
    '- **Errors** have the form `{ error, message }`. 401 means that the user is not signed in, for whatever reason. ' +
    '503 with `Retry-After` means that the service is overloaded or a dependency is down; the user stays signed in. ' +
    'A browser that opens an address as a page gets a page instead.',
    '- **Cross-site requests**: a request with an unsafe method from a page of another site is refused with 403.',
    '- **Every path** can also answer 404 (not found), 405 (method not allowed), 408 (request too slow) ' +
    'and 431 (headers too large).',
  ].join('\n'),
  license: { name: 'MIT', identifier: 'MIT' },
}

export const TAGS = [
  { name: 'Sign-in', description: 'Open, renew and end a session.' },
  {
    name: 'Providers',
    description: 'Sign-in through an identity provider. The GET routes are for links, not for `fetch`: ' +
      'every outcome is a redirect. Each name in the setting `PROVIDERS` has the same two routes as provider A.',
  },
  { name: 'Registration', description: 'Create an account and confirm its email address.' },
  { name: 'Passwords', description: 'Check, change and reset passwords.' },
  { name: 'Session', description: 'Find out who is signed in. For pages and reverse proxies.' },
  { name: 'Account', description: 'The account, its sessions and its security events.' },
  { name: 'Second factor', description: 'Passkeys, authenticator app, recovery codes, and proof of identity.' },
  { name: 'Content', description: 'Content for signed-in users.' },
  { name: 'Health', description: 'For monitoring and orchestrators.' },
  { name: 'Pages', description: 'The hosted pages and this documentation.' },
]

export const SECURITY_SCHEMES = {
  accessToken: {
    type: 'apiKey',
    in: 'cookie',
    name: 'access_token',
    description: 'A signed token that is valid for 15 minutes.',
  },
  refreshToken: {
    type: 'apiKey',
    in: 'cookie',
    name: 'refresh_token',
    description: 'A signed token that is valid for 30 days and is replaced each time it is used.',
  },
  loginStep: {
    type: 'apiKey',
    in: 'cookie',
    name: 'login_step',
    description: 'Set by POST /login if the account has a second factor.',
  },
  mailSignIn: {
    type: 'apiKey',
    in: 'cookie',
    name: 'mail_sign_in',
    description: 'Set by POST /login/mail: the browser in which the code of the mail works.',
  },
  mailRegistration: {
    type: 'apiKey',
    in: 'cookie',
    name: 'mail_registration',
    description: 'Set by POST /login/mail/confirm for an address without an account.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
    description: 'The token from GET /api/csrf-token.',
  },
  csrfCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '_csrf',
    description: 'The cookie that GET /api/csrf-token sets.',
  },
} as const

type Security = Array<Partial<Record<keyof typeof SECURITY_SCHEMES, string[]>>>

export const PUBLIC: Security = []
export const SIGNED_IN: Security = [{ accessToken: [] }]
export const SIGNED_IN_WITH_CSRF: Security = [{ accessToken: [], csrfToken: [], csrfCookie: [] }]
export const LOGIN_STEP_COOKIE: Security = [{ loginStep: [] }]
/** A link works without the cookie. */
export const MAIL_SIGN_IN_COOKIE: Security = [{}, { mailSignIn: [] }]
export const MAIL_REGISTRATION_COOKIE: Security = [{ mailRegistration: [] }]
export const REFRESHABLE: Security = [{ refreshToken: [] }]
/** Reads either token if there is one, and works without. */
export const OPTIONAL_SESSION: Security = [{}, { accessToken: [] }, { refreshToken: [] }]
