import { randomBytes } from 'node:crypto'
import { digest } from '../secrets/digest.ts'

const COUNT = 10
/** 80 bits. */
const BYTES = 10

/** Codes of four groups of hexadecimal digits, without letters that are easily confused. */
export function createRecoveryCodes (): string[] {
  return Array.from({ length: COUNT }, () => randomBytes(BYTES).toString('hex').replace(/.{5}(?=.)/g, '$&-'))
}

/** What the database stores. Spaces, hyphens and capitals do not matter. */
export function digestOfCode (userId: string, code: string): Buffer {
  return digest(`${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`)
}
