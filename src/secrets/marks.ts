import { createHmac, timingSafeEqual } from 'node:crypto'
import { keysFor, type Purpose, type Secrets } from './derived-keys.ts'

interface Account { passwordHash: string | null, factorsVersion: number }

/** Marks in cookies: they bind a value to an account, its password and its factors. A change of these ends them. */
export function createMarks (purpose: Purpose, config: Secrets) {
  const keys = keysFor(purpose, config) as [string, ...string[]]

  function markWith (key: string, parts: string[], { passwordHash, factorsVersion }: Account): Buffer {
    const text = [...parts, factorsVersion, passwordHash ?? ''].join(' ')
    return createHmac('sha256', key).update(text).digest()
  }

  return {
    write: (parts: string[], account: Account): string => markWith(keys[0], parts, account).toString('base64url'),

    /** With the present secret or the previous one. */
    isValid (mark: string, parts: string[], account: Account): boolean {
      const given = Buffer.from(mark, 'base64url')
      return keys.some(key => {
        const expected = markWith(key, parts, account)
        return expected.length === given.length && timingSafeEqual(expected, given)
      })
    },
  }
}
