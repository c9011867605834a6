import { timingSafeEqual } from 'node:crypto'
import { argon2Scheme } from './argon2.ts'
import { pbkdf2Scheme } from './pbkdf2.ts'
import { encode, parsePhc, UnusableHash, type PhcString } from './phc.ts'
import type { Scheme } from './scheme.ts'
import { firebaseScheme, scryptScheme } from './scrypt.ts'

const SCHEMES: Record<string, Scheme> = {
  argon2id: argon2Scheme,
  argon2i: argon2Scheme,
  scrypt: scryptScheme,
  fbscrypt: firebaseScheme,
  pbkdf2: pbkdf2Scheme,
  'pbkdf2-sha1': pbkdf2Scheme,
  'pbkdf2-sha256': pbkdf2Scheme,
  'pbkdf2-sha512': pbkdf2Scheme,
}

/** A hash that another system has made, other than with bcrypt. */
export interface ForeignHash {
  scheme: string
  memory: number
  work: number
  /** A hash with the same scheme, parameters and lengths, but without its values: checking it takes as long. */
  sample: string
  verify (password: string): Promise<boolean>
}

/** Throws UnusableHash for an unknown form, and for parameters that would need too much memory or time. */
export function parseForeignHash (text: string): ForeignHash {
  const hash = parsePhc(text)
  const scheme = Object.hasOwn(SCHEMES, hash.id) ? SCHEMES[hash.id] : undefined
  if (!scheme) throw new UnusableHash('not a hash of a known scheme')
  const { memory, work, parameters, derive } = scheme(hash)
  return {
    scheme: hash.id,
    memory,
    work,
    sample: sampleOf(hash, parameters),
    verify: async password => timingSafeEqual(await derive(password), hash.digest),
  }
}

function sampleOf ({ id, salt, digest }: PhcString, parameters: string): string {
  const blank = encode(Buffer.alloc(digest.length))
  const key = id === 'fbscrypt' ? `,sk=${blank}` : ''
  return `$${id}$${parameters}${key}$${encode(Buffer.alloc(salt.length))}$${blank}`
}

/** Nothing for a hash that cannot be verified, or whose parameters need too much. */
export function foreignHash (text: string | null | undefined): ForeignHash | undefined {
  if (!text?.startsWith('$')) return undefined
  try {
    return parseForeignHash(text)
  } catch (error) {
    if (error instanceof UnusableHash) return undefined
    throw error
  }
}
