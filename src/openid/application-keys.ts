import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { RefusedApplication } from './errors.ts'

/** A JWK. */
export interface PublicKey {
  kty: 'EC' | 'OKP' | 'RSA'
  crv?: string
  x?: string
  y?: string
  n?: string
  e?: string
  kid?: string
  alg?: string
}

/** Two are enough while one replaces the other. */
const MAX_KEYS = 5
const MAX_KID = 200
const MIN_RSA_BITS = 2_048

const ALGORITHMS: Record<string, string[]> = {
  'EC P-256': ['ES256'],
  'OKP Ed25519': ['Ed25519', 'EdDSA'],
  RSA: ['PS256', 'RS256'],
}
const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

const isPrivate = () => new RefusedApplication('This is a private key. Give the public part only, and make a new one.')

/** Only what names and verifies: comments and certificates are not stored. */
function checkKey (given: object): PublicKey {
  const key = given as JsonWebKey
  if (PRIVATE_PARTS.some(part => part in key)) throw isPrivate()
  const { kid, use, alg, kty, crv } = key
  const algorithms = ALGORITHMS[[kty, crv].filter(Boolean).join(' ')]
  if (!algorithms) throw new RefusedApplication('A key must be one of EC P-256, Ed25519 and RSA, as a JWK or in PEM.')
  if (alg !== undefined && !algorithms.includes(String(alg))) {
    throw new RefusedApplication(`The algorithm of a key must be one of ${algorithms.join(', ')}.`)
  }
  if (use !== undefined && use !== 'sig') throw new RefusedApplication('A key must be one for signatures.')
  if (kid !== undefined && (typeof kid !== 'string' || !kid || kid.length > MAX_KID || /\p{C}/u.test(kid))) {
    throw new RefusedApplication(`The kid of a key must have 1 to ${MAX_KID} characters, and no control characters.`)
  }
  return { ...exported(key), ...kid !== undefined && { kid }, ...alg !== undefined && { alg: String(alg) } }
}

/** As Node reads it, so that nothing else is in it. */
function exported (key: JsonWebKey): PublicKey {
  try {
    const read = createPublicKey({ key, format: 'jwk' })
    if ((read.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS) throw new Error('too short')
    return read.export({ format: 'jwk' }) as PublicKey
  } catch {
    throw new RefusedApplication(`A key cannot be read, or is an RSA key of less than ${MIN_RSA_BITS} bits.`)
  }
}

/** Public keys as JWK. Throws an error that says what is wrong. */
export function checkKeys (keys: object[]): PublicKey[] {
  if (keys.length > MAX_KEYS) throw new RefusedApplication(`At most ${MAX_KEYS} keys.`)
  return keys.map(checkKey)
}

/** The keys in a file, not checked yet: PEM, a JWK, or a set of them. Throws an error that says what is wrong. */
export function readKeys (text: string): PublicKey[] {
  // Node would read its public part: it must not be here in the first place.
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)) throw isPrivate()
  try {
    if (text.includes('-----BEGIN')) return [createPublicKey(text).export({ format: 'jwk' }) as PublicKey]
    const read = JSON.parse(text) as PublicKey & { keys?: PublicKey[] }
    return Array.isArray(read.keys) ? read.keys : [read]
  } catch {
    throw new RefusedApplication('This is no public key. Give it in PEM, as a JWK, or as a set of JWKs.')
  }
}
