import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isColor } from './pages/brand-color.ts'
import { isTrustable } from './http/client-address.ts'
import { parseRedisAddress } from './redis/address.ts'

const text = (description: string, options = {}) => Type.String({ description, ...options })
const number = (description: string, options: object) => Type.Integer({ description, minimum: 1, ...options })
const oneOf = <const T extends string>(values: T[], description: string, options: object) =>
  Type.Union(values.map(value => Type.Literal(value)), { description, ...options })

/** Every setting, in the order of the README's table. */
export const Settings = Type.Object({
  NODE_ENV: oneOf(['development', 'test', 'production'], '`production` refuses unsafe settings and marks cookies `Secure`', { default: 'development' }),
  HOST: text('Address to listen on', { default: '127.0.0.1' }),
  PORT: number('Port to listen on', { minimum: 0, maximum: 65535, default: 3000 }),
  PUBLIC_URL: text('Address that browsers use, such as `https://auth.example.com`; links in mails begin with it; without it `http://localhost:PORT`', { default: '' }),
  TRUST_PROXY: Type.Array(Type.String(), { default: [], description: 'Addresses or CIDRs of the front ends whose `X-Forwarded-*` headers are believed, separated by commas' }),
  DRAIN_SECONDS: number('How long new requests are still served after SIGTERM, so that front ends notice', { minimum: 0, maximum: 15, default: 2 }),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'Least severe log line that is written', { default: 'info' }),
  METRICS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535, description: 'Port for Prometheus, at `/metrics`, on a listener of its own; without it there are no metrics' })),
  METRICS_HOST: text('Address that this listener is on: one that clients cannot reach', { default: '127.0.0.1' }),
  DATABASE_URL: Type.Optional(text('PostgreSQL, as the restricted role of the service')),
  DATABASE_POOL_MAX: number('Most connections that one instance opens for requests; the job queue takes up to three more', { default: 10 }),
  MIGRATION_DATABASE_URL: Type.Optional(text('PostgreSQL, as the role that owns the tables; without it `DATABASE_URL`')),
  MIGRATE_ON_START: Type.Boolean({ default: false, description: 'Run the migrations at each start' }),
  REDIS_URL: Type.Optional(text('Redis for the counters that all instances share: `redis://`, `redis-cluster://h1,h2`, `redis-sentinel://h1,h2/master?sentinelPassword=…`, and `rediss` with TLS; without it each counts in memory')),
  REDIS_PREFIX: text('What every key in Redis begins with', { default: 'gatehouse:' }),
  JWT_SECRET: text('Signs the tokens: at least 64 random characters', { default: '' }),
  JWT_SECRET_PREVIOUS: Type.Optional(text('Verifies what it has signed, and signs nothing: the other secret, while `JWT_SECRET` is being changed')),
  BCRYPT_COST: number('Work factor of password hashes', { minimum: 10, maximum: 15, default: 12 }),
  SESSION_MAX_AGE: number('Days after which a sign-in ends, however often it was refreshed', { default: 90 }),
  REGISTRATION: oneOf(['open', 'closed'], 'Whether people can register', { default: 'open' }),
  EMAIL_VERIFICATION: oneOf(['required', 'off'], '`off` opens new accounts at once, and tells whether an address is known', { default: 'required' }),
  SMTP_URL: Type.Optional(text('Mail server, such as `smtps://user:password@mail.example.com`')),
  MAIL_FROM: text('Sender of mails', { default: 'Gatehouse <no-reply@localhost>' }),
  LOGIN_REDIRECT: text('Where people land after they signed in through a provider', { default: '/dashboard' }),
  PROVIDER_A_CLIENT_ID: text('Client id at provider A, any OpenID Connect provider; without it provider A is off', { default: '' }),
  PROVIDER_A_CLIENT_SECRET: text('Client secret at provider A', { default: '' }),
  PROVIDER_A_REDIRECT_URI: text('Callback address registered there; without it `PUBLIC_URL/api/auth/provider-a/callback`', { default: '' }),
  PROVIDER_A_SCOPE: text('What provider A is asked for; most but Google want `openid profile email`', { default: 'profile email' }),
  PROVIDER_A_AUTHORIZE_URL: text('Sign-in page of provider A', { default: 'https://accounts.google.com/o/oauth2/v2/auth' }),
  PROVIDER_A_TOKEN_URL: text('Where provider A trades a code for a token', { default: 'https://oauth2.googleapis.com/token' }),
  PROVIDER_A_USERINFO_URL: text('Where provider A says who it is', { default: 'https://openidconnect.googleapis.com/v1/userinfo' }),
  PROVIDER_B_CLIENT_ID: text('Client id at provider B, which speaks as GitHub does; without it provider B is off', { default: '' }),
  PROVIDER_B_CLIENT_SECRET: text('Client secret at provider B', { default: '' }),
  PROVIDER_B_REDIRECT_URI: text('Callback address registered there; without it `PUBLIC_URL/api/auth/provider-b/callback`', { default: '' }),
  PROVIDER_B_SCOPE: text('What provider B is asked for', { default: 'user:email' }),
  PROVIDER_B_AUTHORIZE_URL: text('Sign-in page of provider B', { default: 'https://github.com/login/oauth/authorize' }),
  PROVIDER_B_TOKEN_URL: text('Where provider B trades a code for a token', { default: 'https://github.com/login/oauth/access_token' }),
  PROVIDER_B_USERINFO_URL: text('Where provider B says who it is', { default: 'https://api.github.com/user' }),
  PROVIDER_B_EMAILS_URL: text('Where provider B lists the email addresses', { default: 'https://api.github.com/user/emails' }),
  BRAND_NAME: text('Name on the pages and in mails', { minLength: 1, maxLength: 60, default: 'Gatehouse' }),
  BRAND_COLOR: text('Colour of the buttons and links on the pages, as `#rrggbb`; text on it stays readable', { default: '#2f5bea' }),
  BRAND_LOGO: Type.Optional(text('Logo on the pages: a path on this host, or an https: address whose server sends `Cross-Origin-Resource-Policy: cross-origin`')),
  LIMIT_LOGIN_MAX: number('Logins that one client address may try in a window; successful ones are not counted', { default: 5 }),
  LIMIT_LOGIN_WINDOW: number('Seconds that this window lasts', { default: 900 }),
  LIMIT_GENERAL_MAX: number('Requests that one user, or one client address that is not signed in, may make in a window', { default: 100 }),
  LIMIT_GENERAL_WINDOW: number('Seconds that this window lasts', { default: 900 }),
  LIMIT_SENSITIVE_MAX: number('Password resets that one client address may ask for in a window', { default: 3 }),
  LIMIT_SENSITIVE_WINDOW: number('Seconds that this window lasts', { default: 3600 }),
  LIMIT_ACCOUNT_MAX: number('Logins that may fail for one account in a window, whatever the addresses; browsers that signed in to it before are counted apart', { default: 50 }),
  LIMIT_ACCOUNT_WINDOW: number('Seconds that this window lasts', { default: 3600 }),
}, { additionalProperties: false })

export type Config = Static<typeof Settings>
type Environment = Record<string, string | undefined>

/** What is wrong with the settings, one line for each problem. */
export class SettingsError extends Error {
  readonly problems: string[]

  constructor (problems: string[]) {
    super(problems.join('\n'))
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/** Without a database, and not in production, the embedded stack provides what is missing. */
export function wantsEmbeddedStack (env: Environment = process.env): boolean {
  return !env.DATABASE_URL && env.NODE_ENV !== 'production'
}

/** The standard variables of OpenTelemetry, which its libraries read for themselves. */
export function wantsTraces (env: Environment = process.env): boolean {
  const somewhere = env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  return Boolean(somewhere) && env.OTEL_SDK_DISABLED !== 'true' && env.OTEL_TRACES_EXPORTER !== 'none'
}

export function publicUrlOf (env: Environment = process.env): string {
  return env.PUBLIC_URL || `http://localhost:${env.PORT || 3000}`
}

export function loadConfig (provided: Environment = {}, env: Environment = process.env): Config {
  const given = { ...provided, ...withoutEmpty(env) }
  const config = parse(given.NODE_ENV === 'production' ? given : { PUBLIC_URL: publicUrlOf(given), ...given }) as Config
  const problems = [...shapeProblems(config), ...safetyProblems(config)]
  if (problems.length > 0) throw new SettingsError(problems)
  return config
}

function withoutEmpty (env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
}

function parse (env: Environment): unknown {
  const known = Object.entries<TSchema>(Settings.properties)
    .filter(([name]) => env[name] !== undefined)
    .map(([name, schema]) => [name, schema.type === 'array' ? env[name]?.split(',').map(item => item.trim()) : env[name]])
  return Value.Default(Settings, Value.Convert(Settings, Object.fromEntries(known)))
}

function shapeProblems (config: unknown): string[] {
  return [...Value.Errors(Settings, config)].map(({ path, schema, message, value }) =>
    `${path.slice(1)} is ${JSON.stringify(value)}: ${schema.anyOf ? `choose one of ${schema.anyOf.map((choice: TSchema) => choice.const).join(', ')}` : message.toLowerCase()}.`)
}

function safetyProblems (config: Config): string[] {
  const production = config.NODE_ENV === 'production'
  const rules: Array<[broken: boolean, line: string]> = [
    [!config.DATABASE_URL, 'DATABASE_URL is missing: give the address of PostgreSQL, such as postgres://gatehouse:…@db:5432/gatehouse.'],
    [!isLongAndVaried(config.JWT_SECRET), 'JWT_SECRET must be at least 64 random characters: make one with `openssl rand -base64 64 | tr -d "\\n"`.'],
    [config.JWT_SECRET_PREVIOUS !== undefined && !isLongAndVaried(config.JWT_SECRET_PREVIOUS), 'JWT_SECRET_PREVIOUS must be at least 64 random characters, as the secret that it was: leave it out when none is being changed.'],
    [config.JWT_SECRET_PREVIOUS !== undefined && config.JWT_SECRET_PREVIOUS === config.JWT_SECRET, 'JWT_SECRET_PREVIOUS is the same as JWT_SECRET: leave it out when none is being changed.'],
    [!config.TRUST_PROXY.every(isTrustable), 'TRUST_PROXY must list addresses or CIDRs, such as 10.0.0.0/8: a number or `true` would believe forged addresses.'],
    [production && !config.REDIS_URL, 'REDIS_URL is missing: without Redis each instance counts attempts for itself.'],
    [Boolean(config.REDIS_URL) && !parseRedisAddress(config.REDIS_URL), 'REDIS_URL cannot be read: write redis://user:password@host:port, redis-cluster://host:port,host:port or redis-sentinel://host:port,host:port/name, with special characters in the password percent-encoded.'],
    [production && !config.SMTP_URL, 'SMTP_URL is missing: registration and password reset send mail.'],
    [production && !isHttps(config.PUBLIC_URL), 'PUBLIC_URL must be the https:// address that browsers use: cookies and links depend on it.'],
    [!production && !URL.canParse(config.PUBLIC_URL), 'PUBLIC_URL must be a whole address, such as http://localhost:3000.'],
    [!isColor(config.BRAND_COLOR), 'BRAND_COLOR must be a colour of six hexadecimal digits, such as #2f5bea.'],
    [!isLogo(config.BRAND_LOGO), 'BRAND_LOGO must be a path on this host, such as /logo.svg, or an https:// address.'],
  ]
  return rules.filter(([broken]) => broken).map(([, line]) => line)
}

function isLongAndVaried (secret = ''): boolean {
  return secret.length >= 64 && new Set(secret).size >= 10
}

function isLogo (address = '/'): boolean {
  return /^\/(?![/\\])/.test(address) || isHttps(address)
}

function isHttps (url = ''): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:'
}
