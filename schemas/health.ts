import { Type, type Static } from '@sinclair/typebox'
import { response, dateTime, stringEnum } from './common.ts'
import { PUBLIC } from './documentation.ts'

const CheckValue = stringEnum('ok', 'error', 'checking')

export const Health = Type.Object({
  status: stringEnum('healthy', 'unhealthy'),
  checks: Type.Object({ server: CheckValue, database: CheckValue, cache: CheckValue }),
  timestamp: dateTime('When it was asked'),
}, { title: 'Health' })
export type Health = Static<typeof Health>

const report = (status: Health['status'], database: 'ok' | 'error') =>
  Type.Object(Health.properties, { title: 'Health', examples: [{ status, checks: { server: 'ok', database, cache: 'ok' }, timestamp: '2026-01-31T09:00:00.000Z' }] })

export const HealthSchema = {
  summary: 'How the service and its parts are',
  tags: ['Health'],
  security: PUBLIC,
  response: { 200: response('Everything works.', report('healthy', 'ok')), 503: response('A part does not answer.', report('unhealthy', 'error')) },
}

const probe = (status: string) => Type.Object({ status: Type.String({ maxLength: 20 }) }, { title: 'Probe', examples: [{ status }] })

export const LiveSchema = {
  summary: 'Whether the process answers',
  tags: ['Health'],
  security: PUBLIC,
  response: { 200: response('It does.', probe('live')) },
}

export const ReadySchema = {
  summary: 'Whether to send requests here',
  tags: ['Health'],
  security: PUBLIC,
  response: { 200: response('Yes.', probe('ready')), 503: response('Not any more: this instance is about to end.', probe('draining')) },
}
