import { UnusableHash } from './phc.ts'

/** About a second and a half. The setting BCRYPT_COST has the same maximum. */
const MAX_COST = 15

/** `$2y$` is what PHP calls `$2b$`. */
const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** 0: not a hash of bcrypt. */
export const costOf = (hash: string) => Number(HASH.exec(hash)?.[1] ?? 0)

/** A well-formed hash that no known password matches. */
export const dummyHash = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`

/** The form that the bcrypt package and the lanes know. */
export const withKnownVersion = (hash: string) => hash.replace(/^\$2y\$/, '$2b$')

export function requireBcrypt (hash: string): { cost: number } {
  const cost = costOf(hash)
  if (cost < 4) throw new UnusableHash('not a hash of bcrypt')
  if (cost > MAX_COST) throw new UnusableHash(`a cost of bcrypt of more than ${MAX_COST}`)
  return { cost }
}
