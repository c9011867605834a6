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

export const ReadySchema = {
  summary: 'Readiness probe',
  tags: ['Health'],
  security: PUBLIC,
  response: {
    200: response('The instance accepts requests.', probe('ready')),
    503: response('The instance is shutting down.', probe('draining')),
  },
}
