import { parseArgs } from 'node:util'

export const MEASURES = [
  'logins', 'lanes', 'beside', 'office', 'access', 'health', 'refresh', 'device-bound', 'openid', 'prepare', 'webhooks',
  'million', 'search', 'import', 'sign-out', 'isolation', 'growth', 'footprint',
] as const
export type MeasureId = (typeof MEASURES)[number]

export interface Options {
  quick: boolean
  only: MeasureId[]
  rounds: number
  /** For one contender in one round. */
  seconds: number
}

export function parseOptions (args: string[]): Options {
  const {
    values: { quick, only },
  } = parseArgs({ args, options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } })
  const chosen = only?.split(',') ?? MEASURES.filter(id => !quick || id !== 'growth')
  const unknown = chosen.filter(id => !MEASURES.includes(id as MeasureId))
  if (unknown.length > 0) {
    throw new Error(`Unknown measure "${unknown.join('", "')}". Choose from ${MEASURES.join(', ')}.`)
  }
  return { quick, only: chosen as MeasureId[], rounds: quick ? 2 : 5, seconds: quick ? 1 : 2 }
}
