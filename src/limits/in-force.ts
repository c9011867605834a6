import type { Config } from '../config.ts'
import type { Counters } from '../counters/counters.ts'
import { clientGroup } from '../edge/client-address.ts'
import { whoOfKey, type Subject } from './keys.ts'
import { limitOfKey, LIMITS, type Limit } from './registry.ts'

/** A counter of a limit, and for whom it counts. */
export interface LimitCounter { limit: Limit, key: string, who: string }

export interface ListedLimit {
  limit: string
  subject: Subject
  who: string
  count: number
  max: number
  reached: boolean
  resetSeconds: number
}

const MAX_LISTED = 200

export function limitsOfAddress (address: string): LimitCounter[] {
  const who = clientGroup(address)
  return Object.values(LIMITS)
    .filter(limit => limit.subject === 'address')
    .map(limit => ({ limit, key: limit.key(address), who }))
}

/** Passwords count for the login as typed, even without such an account. Wrong codes count for the account. */
export function limitsOfLogin (login: string, userId?: string): LimitCounter[] {
  const { account, signIns, signInMails, codes, operatorAccount, operatorSignIns, operatorCodes } = LIMITS
  const passwords = [account, signIns, signInMails, operatorAccount, operatorSignIns]
    .map(limit => ({ limit, key: limit.key(login), who: login }))
  if (!userId) return passwords
  return [...passwords, ...[codes, operatorCodes].map(limit => ({ limit, key: limit.key(userId), who: userId }))]
}

interface Use { count: number, resetMs: number }

function describe (config: Config, { limit, who }: LimitCounter, { count, resetMs }: Use): ListedLimit {
  const max = limit.max(config)
  const resetSeconds = Math.ceil(resetMs / 1_000)
  return { limit: limit.name, subject: limit.subject, who, count, max, reached: count >= max, resetSeconds }
}

export async function readLimits (
  counters: Pick<Counters, 'peek'>,
  config: Config,
  limits: LimitCounter[]
): Promise<ListedLimit[]> {
  return Promise.all(limits.map(async each =>
    describe(config, each, await counters.peek(each.key) ?? { count: 0, resetMs: 0 })))
}

/** Returns the names of those that had counted something. */
export async function clearLimits (counters: Pick<Counters, 'clear'>, limits: LimitCounter[]): Promise<string[]> {
  const names = await Promise.all(limits.map(async ({ limit, key }) => await counters.clear(key) ? [limit.name] : []))
  return names.flat()
}

/** All limits that have counted something, those that are reached first, then the fullest. At most 200. */
export async function listLimits (counters: Pick<Counters, 'list'>, config: Config) {
  const found = await counters.list(key => limitOfKey(key) !== undefined)
  const all = found.counters.map(({ key, ...use }) => {
    const limit = limitOfKey(key) as Limit
    return describe(config, { limit, key, who: whoOfKey(key, limit) }, use)
  })
  const limits = all.toSorted((a, b) => b.count / b.max - a.count / a.max || a.resetSeconds - b.resetSeconds)
  return { limits: limits.slice(0, MAX_LISTED), isComplete: found.isComplete && limits.length <= MAX_LISTED }
}
