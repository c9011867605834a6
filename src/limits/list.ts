import type { Config } from '../config.ts'
import type { Counters } from '../counters/counters.ts'
import { CODE_LIMIT } from '../factors/code-limit.ts'
import { WRONG_KEYS } from '../operators/wrong-keys.ts'
import { KNOWN_BROWSERS_FACTOR } from './password-limits.ts'

/** What a counter counts for. `login` is the beginning of a hash: the login as typed is not stored. */
export type Subject = 'address' | 'user' | 'session' | 'login'

export interface ListedLimit {
  limit: string
  subject: Subject
  who: string
  count: number
  max: number
  reached: boolean
  resetSeconds: number
}

type Kind = [pattern: RegExp, limit: string, subject: Subject, max: (config: Config) => number]

const MAX_LISTED = 200

/** Each key of `limitKeys`, the special ones first. The group is what it counts for. */
const KINDS: Kind[] = [
  [/^login-attempts:browser:[^:]+:(\d+)$/, 'login', 'user', config => config.LIMIT_LOGIN_MAX],
  [/^login-attempts:(.+)$/, 'login', 'address', config => config.LIMIT_LOGIN_MAX],
  [/^passkey-attempts:(.+)$/, 'passkey', 'address', config => config.LIMIT_LOGIN_MAX],
  [/^sensitive:(.+)$/, 'sensitive', 'address', config => config.LIMIT_SENSITIVE_MAX],
  [/^general:user:(.+)$/, 'general', 'user', config => config.LIMIT_GENERAL_MAX],
  [/^general:session:(.+)$/, 'general', 'session', config => config.LIMIT_GENERAL_MAX],
  [/^general:(.+)$/, 'general', 'address', config => config.LIMIT_GENERAL_MAX],
  [/^account-attempts:known-browsers:(.+)$/, 'account', 'user',
    config => config.LIMIT_ACCOUNT_MAX * KNOWN_BROWSERS_FACTOR],
  [/^account-attempts:(.{10})/, 'account', 'login', config => config.LIMIT_ACCOUNT_MAX],
  [/^codes:session:(.+)$/, 'codes', 'session', () => CODE_LIMIT.max],
  [/^codes:(.+)$/, 'codes', 'user', () => CODE_LIMIT.max],
  [/^operator-keys:(.+)$/, 'operator-keys', 'address', () => WRONG_KEYS.max],
]

const kindOf = (key: string) => KINDS.find(([pattern]) => pattern.test(key))

/** All limits that have counted something, those that are reached first, then the fullest. At most 200. */
export async function listLimits (counters: Pick<Counters, 'list'>, config: Config) {
  const found = await counters.list(key => kindOf(key) !== undefined)
  const all = found.counters.map(({ key, count, resetMs }): ListedLimit => {
    const [pattern, limit, subject, maxOf] = kindOf(key) as Kind
    const max = maxOf(config)
    const who = key.match(pattern)?.[1] as string
    return { limit, subject, who, count, max, reached: count >= max, resetSeconds: Math.ceil(resetMs / 1_000) }
  })
  const limits = all.toSorted((a, b) => b.count / b.max - a.count / a.max || a.resetSeconds - b.resetSeconds)
  return { limits: limits.slice(0, MAX_LISTED), isComplete: found.isComplete && limits.length <= MAX_LISTED }
}
