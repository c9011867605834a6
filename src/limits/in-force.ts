import type { Config } from '../config.ts'
import type { Counters } from '../counters/counters.ts'
import { CODE_LIMIT } from '../factors/code-limit.ts'
import { clientGroup } from '../edge/client-address.ts'
import { limitKeys } from './keys.ts'
import type { ListedLimit, Subject } from './list.ts'

export interface Limit { name: string, key: string, max: number, subject: Subject, who: string }

export function limitsOfAddress (config: Config, address: string): Limit[] {
  const who = clientGroup(address)
  return [
    { name: 'login', key: limitKeys.login(address), max: config.LIMIT_LOGIN_MAX, subject: 'address', who },
    { name: 'sensitive', key: limitKeys.sensitive(address), max: config.LIMIT_SENSITIVE_MAX, subject: 'address', who },
    { name: 'general', key: limitKeys.general(who), max: config.LIMIT_GENERAL_MAX, subject: 'address', who },
    { name: 'passkey', key: limitKeys.passkey(address), max: config.LIMIT_LOGIN_MAX, subject: 'address', who },
  ]
}

/** Wrong passwords count for the login as typed, even without such an account. Wrong codes count for the account. */
export function limitsOfLogin ({ LIMIT_ACCOUNT_MAX }: Config, login: string, userId?: string): Limit[] {
  const passwords: Limit = {
    name: 'account', key: limitKeys.account(login), max: LIMIT_ACCOUNT_MAX, subject: 'login', who: login,
  }
  if (!userId) return [passwords]
  const codes: Limit = {
    name: 'codes', key: limitKeys.codes(userId), max: CODE_LIMIT.max, subject: 'user', who: userId,
  }
  return [passwords, codes]
}

export async function readLimits (counters: Pick<Counters, 'peek'>, limits: Limit[]): Promise<ListedLimit[]> {
  return Promise.all(limits.map(async ({ name, key, max, subject, who }) => {
    const { count = 0, resetMs = 0 } = await counters.peek(key) ?? {}
    return { limit: name, subject, who, count, max, reached: count >= max, resetSeconds: Math.ceil(resetMs / 1_000) }
  }))
}

/** Returns the names of those that had counted something. */
export async function clearLimits (counters: Pick<Counters, 'clear'>, limits: Limit[]): Promise<string[]> {
  const names = await Promise.all(limits.map(async ({ name, key }) => await counters.clear(key) ? [name] : []))
  return names.flat()
}
