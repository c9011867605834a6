import type { Config } from '../config.ts'
import type { Counters } from '../counters/counters.ts'
import { CODE_LIMIT } from '../factors/code-limit.ts'
import { clientGroup } from '../http/client-address.ts'
import { limitKeys } from './keys.ts'

export interface Limit { name: string, key: string, max: number }

export function limitsOfAddress (config: Config, address: string): Limit[] {
  return [
    { name: 'login', key: limitKeys.login(address), max: config.LIMIT_LOGIN_MAX },
    { name: 'sensitive', key: limitKeys.sensitive(address), max: config.LIMIT_SENSITIVE_MAX },
    { name: 'general', key: limitKeys.general(clientGroup(address)), max: config.LIMIT_GENERAL_MAX },
    { name: 'passkey', key: limitKeys.passkey(address), max: config.LIMIT_LOGIN_MAX },
  ]
}

/** Wrong passwords count for the login as typed, even without such an account. Wrong codes count for the account. */
export function limitsOfLogin ({ LIMIT_ACCOUNT_MAX }: Config, login: string, userId?: string): Limit[] {
  const passwords = { name: 'account', key: limitKeys.account(login), max: LIMIT_ACCOUNT_MAX }
  return userId ? [passwords, { name: 'codes', key: limitKeys.codes(userId), max: CODE_LIMIT.max }] : [passwords]
}

export async function readLimits (counters: Pick<Counters, 'peek'>, limits: Limit[]) {
  return Promise.all(limits.map(async ({ name, key, max }) => {
    const { count = 0, resetMs = 0 } = await counters.peek(key) ?? {}
    return { limit: name, count, max, reached: count >= max, resetSeconds: Math.ceil(resetMs / 1_000) }
  }))
}

/** Returns the names of those that had counted something. */
export async function clearLimits (counters: Pick<Counters, 'clear'>, limits: Limit[]): Promise<string[]> {
  const names = await Promise.all(limits.map(async ({ name, key }) => await counters.clear(key) ? [name] : []))
  return names.flat()
}
