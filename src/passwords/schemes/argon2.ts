import { argon2, type Argon2Algorithm } from 'node:crypto'
import { promisify } from 'node:util'
import { count, requireOnly, UnusableHash } from './phc.ts'
import { MAX_MEMORY, type Scheme } from './scheme.ts'

const derive = promisify(argon2)
const MAX_KIBIBYTES = MAX_MEMORY / 1024
/** Kibibytes times passes: 64 MiB with 8 passes, or 128 MiB with 4. */
const MAX_WORK = 512 * 1024
const MIN_SALT = 8

/** `$argon2id$v=19$m=65536,t=3,p=4$…`. Version 16 and Argon2d are not supported. */
export const argon2Scheme: Scheme = hash => {
  requireOnly(hash, 'v', 'm', 't', 'p')
  if (hash.parameters.v !== '19') throw new UnusableHash('only version 19 of Argon2 is supported')
  const memory = count(hash, 'm', MAX_KIBIBYTES)
  const passes = count(hash, 't', 64)
  const parallelism = count(hash, 'p', 16)
  if (memory < 8 * parallelism) throw new UnusableHash('the parameter m is less than eight times p')
  if (memory * passes > MAX_WORK) throw new UnusableHash('the parameters m and t together need too much time')
  if (hash.salt.length < MIN_SALT) throw new UnusableHash(`a salt of fewer than ${MIN_SALT} bytes`)
  return {
    memory: memory * 1024,
    work: memory * passes,
    parameters: `v=19$m=${memory},t=${passes},p=${parallelism}`,
    derive: password => derive(hash.id as Argon2Algorithm, {
      message: password,
      nonce: hash.salt,
      tagLength: hash.digest.length,
      memory,
      passes,
      parallelism,
    }),
  }
}
