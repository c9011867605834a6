import { createVerifiedTokens } from '../sessions/verified-tokens.ts'

interface Options {
  read (userId: string): Promise<string>
  maxAccounts: number
  /** In seconds. */
  lifetime: number
}

/** What was read of accounts, until it is announced that it has changed, and for a limited time. */
export function createKeptClaims ({ read, maxAccounts, lifetime }: Options) {
  const kept = createVerifiedTokens<{ value: string, exp: number }>(maxAccounts)
  const underWay = new Map<string, Promise<string>>()

  return {
    /** Undefined if it must be read. */
    known: (userId: string): string | undefined => kept.get(userId)?.value,

    /** One read for all that ask at the same time. */
    async read (userId: string): Promise<string> {
      const exp = Date.now() / 1_000 + lifetime
      const reading = underWay.get(userId) ?? read(userId)
      underWay.set(userId, reading)
      try {
        const value = await reading
        // Not if a change was announced meanwhile: this may be from before it.
        if (underWay.get(userId) === reading) kept.add(userId, { value, exp })
        return value
      } finally {
        if (underWay.get(userId) === reading) underWay.delete(userId)
      }
    },

    /** Those of one account, or of all. */
    forget (userId?: string) {
      if (userId === undefined) {
        kept.clear()
        underWay.clear()
      } else {
        kept.remove(userId)
        underWay.delete(userId)
      }
    },
  }
}
