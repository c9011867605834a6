import type { FastifyInstance } from 'fastify'
import { deviceName } from '../../sessions/device-name.ts'
import type { Outcome } from '../command.ts'
import { wordsOf } from './view.ts'

type Page = Awaited<ReturnType<FastifyInstance['eventList']['page']>>

/** The newest events of an account. */
export function describeEvents (username: string, { events, next }: Page): Outcome {
  const shown = events.map(({ what, ip, userAgent, subject, by, at }) =>
    ({ what, ip, device: userAgent === null ? null : deviceName(userAgent), subject, by, at }))
  const lines = shown.map(({ what, ip, device, subject, by, at }) => {
    const event = what === 'profile_changed' && subject ? `${what}: ${wordsOf(subject.split(','))}` : what
    const from = by === null ? [device, ip] : [`by ${by}`]
    return [at.toISOString().slice(0, 19).replace('T', ' '), event, ...from.filter(part => part !== null)].join('  ')
  })
  const more = next ? ['There are older events: gatehouse audit export prints all.'] : []
  return { data: { events: shown }, text: [...lines, ...more].join('\n') || `${username} has no events.` }
}
