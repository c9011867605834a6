import { RefusedRow } from '../account.ts'
import type { Convert } from './convert.ts'

export interface FirebaseHashes { signerKey: string, saltSeparator: string, rounds: string, memoryCost: string }

/** The parameters of the project, as the console of Firebase shows them: `base64_signer_key: …`. */
export function parseHashConfig (text: string): FirebaseHashes | undefined {
  const [signerKey, saltSeparator, rounds, memoryCost] =
    ['base64_signer_key', 'base64_salt_separator', 'rounds', 'mem_cost']
      .map(name => new RegExp(`\\b${name}["']?\\s*[:=]\\s*["']?([\\w+/=-]+)`).exec(text)?.[1])
  return signerKey && saltSeparator && rounds && memoryCost
    ? { signerKey, saltSeparator, rounds, memoryCost }
    : undefined
}

/** The JSON of `firebase auth:export users.json`. */
export function fromFirebase (hashes: FirebaseHashes | undefined): Convert {
  return user => ({
    email: user.email,
    name: user.displayName,
    email_verified: user.emailVerified,
    password_hash: hashOf(user, hashes),
    disabled: user.disabled,
    created_at: timeOf(user.createdAt),
  })
}

function hashOf ({ passwordHash, salt }: Record<string, unknown>, hashes?: FirebaseHashes): string | undefined {
  if (typeof passwordHash !== 'string' || passwordHash === '') return undefined
  if (!hashes) throw new RefusedRow('a password hash, but no --hash-config')
  const { signerKey, saltSeparator, rounds, memoryCost } = hashes
  return `$fbscrypt$v=1,n=${memoryCost},r=${rounds},p=1,ss=${saltSeparator},sk=${signerKey}$${salt}$${passwordHash}`
}

/** Milliseconds, as a text. */
function timeOf (value: unknown): string | undefined {
  const time = new Date(Number(value))
  return value === undefined || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
