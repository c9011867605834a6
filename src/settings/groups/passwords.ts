import { Type } from '@sinclair/typebox'
import { number, text } from '../kinds.ts'

/** Hashing of passwords, and the comparison with breached ones. */
export const PASSWORDS = {
  BCRYPT_COST: number('Cost factor of the bcrypt password hashes', { minimum: 10, maximum: 15, default: 12 }),
  HASHING_THREADS: Type.Optional(number(
    'Threads of one instance that hash passwords; defaults to the cores that it may use, which a CPU limit reduces',
    { maximum: 256 }
  )),
  HASHING_LANES: number(
    'Passwords that one core checks at once while more are waiting than there are cores; `1` checks one at a time',
    { maximum: 4, default: 4 }
  ),
  BREACHED_PASSWORDS_URL: Type.Optional(text(
    'Range interface of Have I Been Pwned, such as `https://api.pwnedpasswords.com/range/`: new passwords are ' +
    'compared with breached ones; it gets five characters of a hash; without it nothing is compared'
  )),
}
