import { Type, type Static } from '@sinclair/typebox'

const CheckValue = Type.Union([Type.Literal('ok'), Type.Literal('error'), Type.Literal('checking')])

export const Health = Type.Object({
  status: Type.Union([Type.Literal('healthy'), Type.Literal('unhealthy')]),
  checks: Type.Object({ server: CheckValue, database: CheckValue, cache: CheckValue }),
  timestamp: Type.String({ format: 'date-time' }),
})
export type Health = Static<typeof Health>

export const HealthSchema = { response: { 200: Health, 503: Health } }

const Probe = Type.Object({ status: Type.String({ maxLength: 20 }) })

export const LiveSchema = { response: { 200: Probe } }
export const ReadySchema = { response: { 200: Probe, 503: Probe } }
