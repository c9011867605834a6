import { Type } from '@sinclair/typebox'
import { number, oneOf, secret, text } from './kinds.ts'

/** Where the service listens, its log and its metrics. */
export const SERVICE = {
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
  COOKIE_DOMAIN: text(
    'Domain above the hosts of the service and of your apps, such as `example.com`: the access token is sent to all ' +
    'hosts under it; without it, to the host of the service only',
    { default: '' }
  ),
  APP_ORIGINS: Type.Array(Type.String(), {
    default: [],
    description:
      'Comma-separated origins of your apps on other hosts of the same site, such as `https://app.example.com`: ' +
      'their pages may send requests to the service, and users may be sent back to them',
  }),
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
}

/** The listener for operators. */
export const OPERATORS = {
  OPERATOR_PORT: Type.Optional(Type.Integer({
    minimum: 0,
    maximum: 65535,
    description: 'Port of the separate listener with the API for operators; without it there is none',
  })),
  OPERATOR_HOST: text(
    'Address of the listener for operators; choose one that clients cannot reach',
    { default: '127.0.0.1' }
  ),
  OPERATOR_URL: text(
    'URL at which the browsers of operators reach the listener, such as ' +
    '`https://operators.example.com`; without a path; by default `http://localhost:OPERATOR_PORT`',
    { default: '' }
  ),
}

/** PostgreSQL and Redis. */
export const STORES = {
  DATABASE_URL: Type.Optional(secret(
    'PostgreSQL connection string for the restricted role of the service; with several servers, such as ' +
    '`postgres://gatehouse:…@db-1:5432,db-2:5432/gatehouse`, the primary among them is found and followed'
  )),
  DATABASE_POOL_MAX: number(
    'Maximum number of connections that one instance opens for requests; the job queue opens up to two more, ' +
    'and the feed of ended sessions one',
    { default: 10 }
  ),
  DATABASE_PREPARE: oneOf(
    ['on', 'off'],
    'Prepared statements and `LISTEN`: `off` for a pooler in transaction mode that supports no prepared statements, ' +
    'such as PgBouncer before 1.21',
    { default: 'on' }
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
}

/** Secrets and keys that sign tokens. */
export const TOKENS = {
  JWT_SECRET: secret('Secret that signs the tokens: at least 64 random characters', { default: '' }),
  JWT_SECRET_PREVIOUS: Type.Optional(
    secret('Second secret, used while `JWT_SECRET` is being changed; it verifies tokens and signs none')
  ),
  TOKEN_AUDIENCES: Type.Array(Type.String({ maxLength: 200, pattern: '^[!-~]+$' }), {
    default: [],
    description: 'Comma-separated names of the services for which tokens are issued, such as `orders,billing`',
  }),
  TOKEN_CLAIMS: Type.Array(Type.String({ maxLength: 200 }), {
    default: [],
    description: 'Comma-separated members of the data of accounts that go into tokens and `X-Auth-Claims`, such as ' +
      '`roles,tenant`; with a scope, as in `roles:profile`, also into ID tokens and userinfo; see ' +
      '[Your own data in the token](integrating.md#your-own-data-in-the-token)',
  }),
  SIGNING_ALG: oneOf(
    ['EdDSA', 'ES256'],
    'Algorithm that signs the tokens for other services; choose `ES256` only if one of them cannot verify `EdDSA`; ' +
    'with `OPENID=on` it is `ES256`',
    { default: 'EdDSA' }
  ),
  OPENID: oneOf(
    ['off', 'on'],
    'OpenID provider: `on` lets applications on other hosts sign users in with this service',
    { default: 'off' }
  ),
  OPENID_REGISTRATION: oneOf(
    ['off', 'documents', 'open'],
    'Whether applications, such as MCP clients, can register themselves: `documents` accepts those that publish a ' +
    'metadata document, `open` also dynamic registration (RFC 7591); see ' +
    '[Self-registration](openid.md#self-registration)',
    { default: 'off' }
  ),
  OPENID_DOCUMENTS_PRIVATE: oneOf(
    ['refuse', 'allow'],
    'Metadata documents of applications at private, loopback and other special addresses: `allow` them while you ' +
    'develop one. Refused in production, because anyone could make the service read addresses in your network',
    { default: 'refuse' }
  ),
  OPENID_RESOURCES: Type.Array(Type.String(), {
    default: [],
    description:
      'Comma-separated names of the APIs for which applications of the OpenID provider get tokens, such as ' +
      '`orders,reports`; each name has settings of its own: see [Resources](openid.md#resources)',
  }),
}
