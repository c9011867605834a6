import { hkdfSync } from 'node:crypto'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { secretsOf, type Secrets } from './derived-keys.ts'

interface Decrypted {
  text: string
  /** Whether it was encrypted with another secret than the present one. */
  isOutdated: boolean
}

const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }

/**
 * Encrypts secrets for the database: AES-256-GCM as a JWE, with a key derived from `JWT_SECRET` for this purpose.
 * A text is decrypted only under the name it was encrypted for, with the present secret or the previous one.
 */
export function createEncryption (purpose: string, config: Secrets) {
  const keys = secretsOf(config)
    .map(secret => new Uint8Array(hkdfSync('sha256', secret, '', `gatehouse ${purpose}`, 32))) as [Uint8Array]

  async function decryptWith (key: Uint8Array, encrypted: string, name: string): Promise<string | undefined> {
    try {
      const { plaintext, protectedHeader } = await compactDecrypt(encrypted, key, ALGORITHMS)
      return protectedHeader.kid === name ? new TextDecoder().decode(plaintext) : undefined
    } catch {
      return undefined
    }
  }

  return {
    async encrypt (text: string, name: string): Promise<string> {
      return new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: name })
        .encrypt(keys[0])
    },

    /** Undefined if no secret decrypts it. */
    async decrypt (encrypted: string, name: string): Promise<Decrypted | undefined> {
      for (const [index, key] of keys.entries()) {
        const text = await decryptWith(key, encrypted, name)
        if (text !== undefined) return { text, isOutdated: index > 0 }
      }
      return undefined
    },
  }
}
