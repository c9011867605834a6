import { generateSecret, generateSync } from 'otplib'
import type pg from 'pg'
import { createRecoveryCodes, digestOfCode } from '../../src/factors/recovery-codes.ts'
import { createEncryption } from '../../src/secrets/encryption.ts'
import { JWT_SECRET, secrets } from './build.ts'

/** The code of an authenticator app, `steps` of 30 seconds from now. */
export const codeOf = (secret: string, steps = 0, now = Date.now()): string =>
  generateSync({ secret, epoch: Math.floor(now / 1_000) + steps * 30 })

/** Six digits that are the code of no step that could be accepted. */
export function wrongCode (secret: string): string {
  const near = [-2, -1, 0, 1, 2].map(steps => codeOf(secret, steps))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(code => !near.includes(code)) as string
}

/** Gives an account a confirmed authenticator app and recovery codes, as an enrolment does. */
export async function addTotp (owner: pg.Pool, userId: string, jwtSecret = JWT_SECRET) {
  const secret = generateSecret()
  const recoveryCodes = createRecoveryCodes()
  for (const each of [secret, ...recoveryCodes]) secrets.add(each)
  const encrypted = await createEncryption('totp', { JWT_SECRET: jwtSecret }).encrypt(secret, userId)
  await owner.query('INSERT INTO totp (user_id, secret, confirmed_at) VALUES ($1, $2, now())', [userId, encrypted])
  await owner.query('INSERT INTO recovery_codes (user_id, digest) SELECT $1, unnest($2::bytea[])',
    [userId, recoveryCodes.map(code => digestOfCode(userId, code))])
  await owner.query('UPDATE users SET factors_version = factors_version + 1 WHERE id = $1', [userId])

  return {
    secret,
    recoveryCodes,
    /** A valid code, as if none had been used before. */
    async freshCode (): Promise<string> {
      await owner.query('UPDATE totp SET last_step = 0 WHERE user_id = $1', [userId])
      return codeOf(secret)
    },
  }
}
