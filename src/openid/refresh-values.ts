import { createHmac, timingSafeEqual } from 'node:crypto'
import { keysFor, type Secrets } from '../secrets/derived-keys.ts'

/** Which refresh token of a grant. */
interface RefreshReference { grantId: string, generation: number }

const FORM = /^([0-9a-f-]{36})\.(\d{1,9})\.([\w-]{43})$/

/**
 * Refresh tokens of applications: the grant, the generation, and a signature over both. None is stored: the token that
 * follows another can be written again, for a client that did not get it.
 */
export function createRefreshValues (config: Secrets) {
  const keys = keysFor('application-refresh', config)
  const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64url')

  return {
    write ({ grantId, generation }: RefreshReference): string {
      const text = `${grantId}.${generation}`
      return `${text}.${sign(keys[0] as string, text)}`
    },

    /** Undefined if it is not one of ours. */
    read (value: string): RefreshReference | undefined {
      const [, grantId, generation, signature] = FORM.exec(value) ?? []
      if (!grantId || !signature) return undefined
      const isOurs = keys.some(key =>
        timingSafeEqual(Buffer.from(sign(key, `${grantId}.${generation}`)), Buffer.from(signature)))
      return isOurs ? { grantId, generation: Number(generation) } : undefined
    },
  }
}
