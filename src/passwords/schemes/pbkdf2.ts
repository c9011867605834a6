import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { count, requireOnly, UnusableHash } from './phc.ts'
import type { Scheme } from './scheme.ts'

const derive = promisify(pbkdf2)

/** Bytes that one iteration yields, and the most iterations: each is twice what OWASP recommends, or more. */
const DIGESTS: Record<string, { size: number, max: number }> = {
  sha1: { size: 20, max: 2_800_000 },
  sha256: { size: 32, max: 1_200_000 },
  sha512: { size: 64, max: 600_000 },
}

/** `$pbkdf2-sha256$i=600000$…`, and as passlib writes it: `$pbkdf2-sha256$600000$…`, `$pbkdf2$…` for SHA-1. */
export const pbkdf2Scheme: Scheme = hash => {
  requireOnly(hash, 'i', 'l')
  const name = hash.id.split('-')[1] ?? 'sha1'
  const { size, max } = DIGESTS[name] as { size: number, max: number }
  const iterations = count(hash, 'i', max)
  const length = hash.digest.length
  if (hash.parameters.l !== undefined && count(hash, 'l', 128) !== length) {
    throw new UnusableHash('a digest of another length than the parameter l says')
  }
  const work = iterations * Math.ceil(length / size)
  if (work > 2 * max) throw new UnusableHash('the parameter i and the length of the digest together need too much time')
  return {
    memory: 0,
    work,
    parameters: `i=${iterations},l=${length}`,
    derive: password => derive(password, hash.salt, iterations, length, name),
  }
}
