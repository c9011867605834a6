/** What the API documentation says of the service as a whole. What it says of a route stands beside the schemas of that route. */
export const INFO = {
  title: 'Gatehouse',
  summary: 'An authentication service that runs beside your web application',
  description: `Sign-in with a password or through a provider, sessions in cookies that scripts cannot read, and the account behind them.

- **Cookies**: the tokens are in \`HttpOnly\`, \`SameSite=Strict\` cookies, never in a body. A browser that calls this API from a page of the same site needs nothing more than \`fetch\`.
- **Bodies** are JSON of 16 KiB at the most. Nothing is coerced, and an unknown field is refused.
- **Refusals** are \`{ error, message }\`. 401 means signed out, whatever the reason. 503 with \`Retry-After\` means that a part is down or busy, never that you are signed out.
- **Other sites**: a request that changes something and comes from a page of another site is refused with 403.
- **Any address** may also answer 404 or 405 (nothing there, or not for this method), 408 and 431 (a request that is too slow, or whose headers are too large).`,
  license: { name: 'MIT', identifier: 'MIT' },
}

export const TAGS = [
  { name: 'Sign-in', description: 'Open, renew and end a session.' },
  { name: 'Providers', description: 'Sign-in through an outside provider. Links to follow, not calls to make: every outcome is a redirect.' },
  { name: 'Registration', description: 'A new account, and the proof of its address.' },
  { name: 'Passwords', description: 'Check, change and reset.' },
  { name: 'Session', description: 'Who is signed in, for pages and for front ends.' },
  { name: 'Account', description: 'The account, its devices and what happened to it.' },
  { name: 'Content', description: 'What only those may read who are signed in.' },
  { name: 'Health', description: 'For monitors and orchestrators.' },
  { name: 'Pages', description: 'The hosted pages, and this documentation.' },
]

export const SECURITY_SCHEMES = {
  accessToken: { type: 'apiKey', in: 'cookie', name: 'access_token', description: 'A signed token that lasts 15 minutes.' },
  refreshToken: { type: 'apiKey', in: 'cookie', name: 'refresh_token', description: 'A signed token that lasts 30 days and is traded for a new one when it is used.' },
  csrfToken: { type: 'apiKey', in: 'header', name: 'x-csrf-token', description: 'The token from GET /api/csrf-token.' },
  csrfCookie: { type: 'apiKey', in: 'cookie', name: '_csrf', description: 'The cookie that came with that token.' },
} as const

type Security = Array<Partial<Record<keyof typeof SECURITY_SCHEMES, string[]>>>

export const PUBLIC: Security = []
export const SIGNED_IN: Security = [{ accessToken: [] }]
export const SIGNED_IN_WITH_CSRF: Security = [{ accessToken: [], csrfToken: [], csrfCookie: [] }]
export const REFRESHABLE: Security = [{ refreshToken: [] }]
/** Good with either token, and just as good with none. */
export const ANYBODY: Security = [{}, { accessToken: [] }, { refreshToken: [] }]
