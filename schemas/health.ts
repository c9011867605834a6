import { Type, type Static } from '@sinclair/typebox'
import { response, dateTime, stringEnum } from './common.ts'
import { PUBLIC } from './documentation.ts'

const CheckValue = stringEnum('ok', 'error', 'checking')

export const Health = Type.Object({
  status: stringEnum('healthy', 'unhealthy'),
  checks: Type.Object({ server: CheckValue, database: CheckValue, cache: CheckValue }),
  timestamp: dateTime('The time of this response'),
}, { title: 'Health' })
export type Health = Static<typeof Health>

const report = (status: Health['status'], database: 'ok' | 'error') => Type.Object(Health.properties, {
  title: 'Health',
  examples: [{ status, checks: { server: 'ok', database, cache: 'ok' }, timestamp: '2026-01-31T09:00:00.000Z' }],
})

export const HealthSchema = {
  summary: 'Health of the service and its dependencies',
  tags: ['Health'],
  security: PUBLIC,
  response: {
    200: response('All checks are `ok`.', report('healthy', 'ok')),
    503: response('A check is not `ok`.', report('unhealthy', 'error')),
  },
}

const probe = (status: string) =>
  Type.Object({ status: Type.String({ maxLength: 20 }) }, { title: 'Probe', examples: [{ status }] })

export const LiveSchema = {
  summary: 'Liveness probe',
  tags: ['Health'],
  security: PUBLIC,
  response: { 200: response('The process is running.', probe('live')) },
}

const Ready = Type.Object({
  status: stringEnum('ready'),
  missing: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), {
    description: 'What is not connected, although users can sign in: `ended sessions`, `job queue`, `Redis`',
    maxItems: 3,
  })),
}, { title: 'Ready', examples: [{ status: 'ready' }, { status: 'ready', missing: ['job queue'] }] })

const NotReady = Type.Object({
  status: stringEnum('draining', 'not_ready'),
  reason: Type.Optional(Type.String({ description: 'Why users cannot sign in', maxLength: 200 })),
}, { title: 'NotReady', examples: [{ status: 'not_ready', reason: 'PostgreSQL is read-only.' }] })

export const ReadySchema = {
  summary: 'Readiness probe',
  tags: ['Health'],
  security: PUBLIC,
  response: {
    200: response('Users can sign in.', Ready),
    503: response('The instance is shutting down, or users cannot sign in.', NotReady),
  },
}

export const ServingSchema = {
  summary: 'Probe for load balancers',
  description: 'Does not depend on PostgreSQL, because access checks do not.',
  tags: ['Health'],
  security: PUBLIC,
  response: {
    200: response('The instance accepts requests.', probe('serving')),
    503: response('The instance is shutting down.', probe('draining')),
  },
}
