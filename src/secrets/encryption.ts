import { hkdfSync } from 'node:crypto'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { secretsOf, type Secrets } from './derived-keys.ts'

interface Opened {
  text: string
  /** Whether it was sealed with another secret than the present one. */
  isOutdated: boolean
}

const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }

/**
 * Encrypts secrets for the database: AES-256-GCM as a JWE, with a key derived from `JWT_SECRET` for this purpose.
 * A sealed text opens only under the name it was sealed for, with the present secret or the previous one.
 */
export function createSealing (purpose: string, config: Secrets) {
  const keys = secretsOf(config)
    .map(secret => new Uint8Array(hkdfSync('sha256', secret, '', `gatehouse ${purpose}`, 32))) as [Uint8Array]

  async function openWith (key: Uint8Array, sealed: string, name: string): Promise<string | undefined> {
    try {
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, ALGORITHMS)
      return protectedHeader.kid === name ? new TextDecoder().decode(plaintext) : undefined
    } catch {
      return undefined
    }
  }

  return {
    async seal (text: string, name: string): Promise<string> {
      return new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: name })
        .encrypt(keys[0])
    },

    /** Undefined if no secret opens it. */
    async open (sealed: string, name: string): Promise<Opened | undefined> {
      for (const [index, key] of keys.entries()) {
        const text = await openWith(key, sealed, name)
        if (text !== undefined) return { text, isOutdated: index > 0 }
      }
      return undefined
    },
  }
}
