import type { FastifyInstance } from 'fastify'
import { deviceName } from '../../sessions/device-name.ts'
import type { Outcome } from '../command.ts'

type Page = Awaited<ReturnType<FastifyInstance['eventList']['page']>>

/** The newest events of an account. */
export function describeEvents (username: string, { events, next }: Page): Outcome {
  const shown = events.map(({ what, ip, userAgent, by, at }) =>
    ({ what, ip, device: userAgent === null ? null : deviceName(userAgent), by, at }))
  const lines = shown.map(({ what, ip, device, by, at }) => {
    const from = by === null ? [device, ip] : [`by ${by}`]
    return [at.toISOString().slice(0, 19).replace('T', ' '), what, ...from.filter(part => part !== null)].join('  ')
  })
  const more = next ? ['There are older events: gatehouse audit export prints all.'] : []
  return { data: { events: shown }, text: [...lines, ...more].join('\n') || `${username} has no events.` }
}
