import { randomBytes, randomInt } from 'node:crypto'
import bcrypt from 'bcrypt'

export interface Sample { password: Buffer, hash: string, matches: boolean }

const TEXT = 'Passwörter, 密码, пароль, 🔑 and 𝔭lain letters; '

/** Arbitrary bytes, bytes of one kind that are hard for signed arithmetic, or text in UTF-8: 0 to 72 bytes. */
function randomPassword (): Buffer {
  const length = randomInt(73)
  switch (randomInt(4)) {
    case 0: return Buffer.alloc(length, [0x00, 0x7f, 0x80, 0xff][randomInt(4)])
    case 1: return Buffer.from(TEXT.slice(randomInt(20)).repeat(3)).subarray(0, length)
    default: return randomBytes(length)
  }
}

/** Another password than this one, often by one bit. */
function wrongPassword (password: Buffer): Buffer {
  if (password.length === 0 || randomInt(3) === 0) return randomPassword()
  const wrong = Buffer.from(password)
  const at = randomInt(wrong.length)
  wrong.writeUInt8(wrong.readUInt8(at) ^ 1 << randomInt(8), at)
  return wrong
}

/** A password and a hash, and what the `bcrypt` package says about them. */
export async function randomSample (cost: number): Promise<Sample> {
  const right = randomPassword()
  const hash = await bcrypt.hash(right, await bcrypt.genSalt(cost, randomInt(2) ? 'a' : 'b'))
  const password = randomInt(2) ? right : wrongPassword(right)
  return { password, hash, matches: await bcrypt.compare(password, hash) }
}

const CHARACTERS = '$./09AZaz:@[`{ \0ÿĤ€'

/** A hash with one character that is another, too many or missing. The cost stays. */
export function malformedHash (hash: string): string {
  const at = randomInt(9) === 0 ? randomInt(4) : 6 + randomInt(54)
  const character = CHARACTERS[randomInt(CHARACTERS.length)]
  return hash.slice(0, at) + ['', character, character + hash.charAt(at)][randomInt(3)] + hash.slice(at + 1)
}
