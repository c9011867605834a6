import { Type } from '@sinclair/typebox'
import { number, oneOf, text } from '../kinds.ts'

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
