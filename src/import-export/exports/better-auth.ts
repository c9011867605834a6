import { RefusedRow } from '../account.ts'
import type { Convert } from './convert.ts'

/** Its hashes are `salt:key` in hexadecimal; the salt is the text itself. */
const HASH = /^([0-9a-f]{32}):([0-9a-f]{128})$/

/** Rows of the tables `user` and `account`, joined, as CSV or NDJSON. */
export const fromBetterAuth: Convert = user => ({
  username: user.username,
  email: user.email,
  name: user.name,
  email_verified: user.emailVerified ?? user.email_verified,
  password_hash: hashOf(user.password),
  disabled: user.banned,
  created_at: user.createdAt ?? user.created_at,
})

function hashOf (password: unknown): unknown {
  if (typeof password !== 'string' || password === '' || password.startsWith('$')) return password
  const [, salt, key] = HASH.exec(password) ?? []
  if (!salt || !key) throw new RefusedRow('password_hash: not a hash of a known form')
  const [encodedSalt, digest] = [Buffer.from(salt), Buffer.from(key, 'hex')].map(bytes => bytes.toString('base64'))
  return `$scrypt$ln=14,r=16,p=1,form=nfkc$${encodedSalt}$${digest}`
}
