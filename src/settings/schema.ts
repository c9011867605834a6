import { Type, type Static } from '@sinclair/typebox'

const text = (description: string, options = {}) => Type.String({ description, ...options })
/** Can also be given as a file: see secret-files.ts. */
const secret = (description: string, options = {}) => text(description, { secret: true, ...options })
const number = (description: string, options: object) => Type.Integer({ description, minimum: 1, ...options })
const oneOf = <const T extends string>(values: T[], description: string, options: object) =>
  Type.Union(values.map(value => Type.Literal(value)), { description, ...options })

/** Every setting, in the order of the table in docs/configuration.md. */
export const Settings = Type.Object({
  NODE_ENV: oneOf(
    ['development', 'test', 'production'],
    '`production` refuses unsafe settings and gives cookies the `Secure` attribute',
    { default: 'development' }
  ),
  HOST: text('Address to listen on', { default: '127.0.0.1' }),
  PORT: number('Port to listen on', { minimum: 0, maximum: 65535, default: 3000 }),
  PUBLIC_URL: text(
    'Public URL of the service, such as `https://auth.example.com`, for links in mails and for redirects; ' +
    'without a path; outside production it defaults to `http://localhost:PORT`',
    { default: '' }
  ),
  TRUST_PROXY: Type.Array(Type.String(), {
    default: [],
    description:
      'Comma-separated addresses or CIDR ranges of the reverse proxies whose `X-Forwarded-*` headers are trusted',
  }),
  DRAIN_SECONDS: number(
    'Seconds after SIGTERM during which new requests are still served, so that load balancers notice the shutdown',
    { minimum: 0, maximum: 15, default: 2 }
  ),
  LOG_LEVEL: oneOf(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'Minimum severity of log lines',
    { default: 'info' }
  ),
  METRICS_PORT: Type.Optional(Type.Integer({
    minimum: 0,
    maximum: 65535,
    description: 'Port of the separate listener for Prometheus (`GET /metrics`); without it there are no metrics',
  })),
  METRICS_HOST: text(
    'Address of the metrics listener; choose one that clients cannot reach',
    { default: '127.0.0.1' }
  ),
  DATABASE_URL: Type.Optional(secret('PostgreSQL connection string for the restricted role of the service')),
  DATABASE_POOL_MAX: number(
    'Maximum number of connections that one instance opens for requests; the job queue opens up to three more, ' +
    'and the feed of ended sessions one',
    { default: 10 }
  ),
  MIGRATION_DATABASE_URL: Type.Optional(
    secret('PostgreSQL connection string for the role that owns the tables; defaults to `DATABASE_URL`')
  ),
  MIGRATE_ON_START: Type.Boolean({ default: false, description: 'Run the migrations at each start' }),
  REDIS_URL: Type.Optional(secret(
    'Redis for the counters that all instances share: `redis://host`, `redis-cluster://h1,h2` or ' +
    '`redis-sentinel://h1,h2/master?sentinelPassword=…`, each with `rediss` for TLS; ' +
    'without it each instance counts in memory'
  )),
  REDIS_PREFIX: text('Prefix of every key in Redis', { default: 'gatehouse:' }),
  JWT_SECRET: secret('Secret that signs the tokens: at least 64 random characters', { default: '' }),
  JWT_SECRET_PREVIOUS: Type.Optional(
    secret('Second secret, used while `JWT_SECRET` is being changed; it verifies tokens and signs none')
  ),
  TOKEN_AUDIENCES: Type.Array(Type.String({ maxLength: 200, pattern: '^[!-~]+$' }), {
    default: [],
    description: 'Comma-separated names of the services for which tokens are issued, such as `orders,billing`',
  }),
  SIGNING_ALG: oneOf(
    ['EdDSA', 'ES256'],
    'Algorithm that signs the tokens for other services; choose `ES256` only if one of them cannot verify `EdDSA`',
    { default: 'EdDSA' }
  ),
  SIGNING_KEY_LIFETIME: number('Seconds during which one key signs tokens for other services', { default: 2_592_000 }),
  SIGNING_KEY_AHEAD: number(
    'Seconds that a key is published before it signs; longer than other services cache the public keys',
    { default: 3_600 }
  ),
  BCRYPT_COST: number('Cost factor of the bcrypt password hashes', { minimum: 10, maximum: 15, default: 12 }),
  HASHING_THREADS: Type.Optional(number(
    'Threads of one instance that hash passwords; defaults to the cores that it may use, which a CPU limit reduces',
    { maximum: 256 }
  )),
  HASHING_LANES: number(
    'Passwords that one core checks at once while more are waiting than there are cores; `1` checks one at a time',
    { maximum: 4, default: 4 }
  ),
  BREACHED_PASSWORDS_URL: Type.Optional(text(
    'Range interface of Have I Been Pwned, such as `https://api.pwnedpasswords.com/range/`: new passwords are ' +
    'compared with stolen ones; it gets five characters of a hash; without it nothing is compared'
  )),
  SESSION_MAX_AGE: number('Days after sign-in when a session ends, even if it is in use', { default: 90 }),
  REVOCATION_FEED_LOST: oneOf(
    ['allow', 'refuse'],
    'Access checks while an instance cannot learn which sessions have ended, for more than 5 seconds: `allow` them, ' +
    'so that an ended session may pass for up to 15 minutes, or `refuse` them with 503',
    { default: 'allow' }
  ),
  SECOND_FACTOR: oneOf(
    ['off', 'optional', 'required'],
    'Second factors: `off` lets no user add one, `optional` lets each user decide, and with `required` a user ' +
    'without one can do nothing but add one; accounts that have one are always asked for it',
    { default: 'optional' }
  ),
  FRESH_SECONDS: number(
    'Seconds after a proof of identity during which factors, the email address or the first password can be changed ' +
    'and the account deleted',
    { default: 600 }
  ),
  REMEMBER_BROWSER_DAYS: number(
    'Days during which a browser that the user trusts is not asked for the second factor; 0 turns this off',
    { minimum: 0, maximum: 400, default: 30 }
  ),
  REGISTRATION: oneOf(['open', 'closed'], 'Whether new users can register themselves', { default: 'open' }),
  EMAIL_VERIFICATION: oneOf(
    ['required', 'off'],
    '`off` activates new accounts immediately; registration then reveals whether an email address has an account',
    { default: 'required' }
  ),
  SMTP_URL: Type.Optional(secret('Mail server, such as `smtps://user:password@mail.example.com`')),
  MAIL_FROM: text('Sender of mails', { default: 'Gatehouse <no-reply@localhost>' }),
  LOGIN_REDIRECT: text('Path on this host to open after sign-in', { default: '/dashboard' }),
  PROVIDER_SECOND_FACTOR: oneOf(
    ['ask', 'trust'],
    'Sign-in through a provider to an account with a second factor: `ask` for it, or `trust` the provider',
    { default: 'ask' }
  ),
  PROVIDER_A_CLIENT_ID: text(
    'Client ID at provider A, which can be any OpenID Connect provider; without it provider A is off',
    { default: '' }
  ),
  PROVIDER_A_CLIENT_SECRET: secret('Client secret at provider A; required with the client ID', { default: '' }),
  PROVIDER_A_REDIRECT_URI: text(
    'Callback URL registered at provider A; defaults to `PUBLIC_URL/api/auth/provider-a/callback`',
    { default: '' }
  ),
  PROVIDER_A_SCOPE: text(
    'Scopes requested from provider A; most providers other than Google need `openid profile email`',
    { default: 'profile email' }
  ),
  PROVIDER_A_AUTHORIZE_URL: text(
    'Authorization endpoint of provider A',
    { default: 'https://accounts.google.com/o/oauth2/v2/auth' }
  ),
  PROVIDER_A_TOKEN_URL: text(
    'Token endpoint of provider A',
    { default: 'https://oauth2.googleapis.com/token' }
  ),
  PROVIDER_A_USERINFO_URL: text(
    'Userinfo endpoint of provider A',
    { default: 'https://openidconnect.googleapis.com/v1/userinfo' }
  ),
  PROVIDER_B_CLIENT_ID: text(
    'Client ID at provider B, which is GitHub or has the same API; without it provider B is off',
    { default: '' }
  ),
  PROVIDER_B_CLIENT_SECRET: secret('Client secret at provider B; required with the client ID', { default: '' }),
  PROVIDER_B_REDIRECT_URI: text(
    'Callback URL registered at provider B; defaults to `PUBLIC_URL/api/auth/provider-b/callback`',
    { default: '' }
  ),
  PROVIDER_B_SCOPE: text('Scopes requested from provider B', { default: 'user:email' }),
  PROVIDER_B_AUTHORIZE_URL: text(
    'Authorization endpoint of provider B',
    { default: 'https://github.com/login/oauth/authorize' }
  ),
  PROVIDER_B_TOKEN_URL: text(
    'Token endpoint of provider B',
    { default: 'https://github.com/login/oauth/access_token' }
  ),
  PROVIDER_B_USERINFO_URL: text('User endpoint of provider B', { default: 'https://api.github.com/user' }),
  PROVIDER_B_EMAILS_URL: text(
    'Endpoint of provider B that lists the email addresses of the user',
    { default: 'https://api.github.com/user/emails' }
  ),
  BRAND_NAME: text('Product name on the pages and in mails', { minLength: 1, maxLength: 60, default: 'Gatehouse' }),
  BRAND_COLOR: text(
    'Colour of the buttons and links on the pages, as `#rrggbb`; it is adjusted where text would be hard to read',
    { default: '#2f5bea' }
  ),
  BRAND_LOGO: Type.Optional(text(
    'Logo on the pages: a path on this host, or an `https:` URL whose server sends ' +
    '`Cross-Origin-Resource-Policy: cross-origin`'
  )),
  LIMIT_LOGIN_MAX: number('Failed logins allowed in a window, for each client address', { default: 5 }),
  LIMIT_LOGIN_WINDOW: number('Window of the login limit, in seconds', { default: 900 }),
  LIMIT_GENERAL_MAX: number(
    'Requests allowed in a window, for each user, or for each client address if no user is signed in',
    { default: 100 }
  ),
  LIMIT_GENERAL_WINDOW: number('Window of the general limit, in seconds', { default: 900 }),
  LIMIT_SENSITIVE_MAX: number(
    'Password resets that can be requested in a window, for each client address',
    { default: 3 }
  ),
  LIMIT_SENSITIVE_WINDOW: number('Window of the sensitive limit, in seconds', { default: 3600 }),
  LIMIT_ACCOUNT_MAX: number(
    'Failed logins allowed in a window, for each login name as typed, from all client addresses together; ' +
    'browsers that have signed in to the account before are counted separately',
    { default: 50 }
  ),
  LIMIT_ACCOUNT_WINDOW: number('Window of the account limit, in seconds', { default: 3600 }),
}, { additionalProperties: false })

export type Config = Static<typeof Settings>

/** The tests hash passwords by the thousand: with NODE_ENV=test, and only then, a cost below 10 is allowed. */
export const TestSettings = Type.Object({
  ...Settings.properties,
  BCRYPT_COST: number('Work factor of password hashes', { minimum: 4, maximum: 15, default: 12 }),
}, { additionalProperties: false })
