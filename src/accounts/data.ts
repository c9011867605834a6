import { InvalidData } from './errors.ts'

/** What applications keep about a user: a plain JSON object. */
export type AccountData = Record<string, unknown>

/** The length of the JSON text without spaces, in bytes of UTF-8. The table has the same limit. */
export const MAX_BYTES = 4096
/** Objects and arrays within each other. */
export const MAX_DEPTH = 10
/** Applications that copy such a member into an object of their own would change its prototype. */
const REFUSED_NAMES = ['__proto__', 'constructor', 'prototype']

const isObject = (value: unknown): value is AccountData =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function problemOfText (text: string): string | undefined {
  if (text.includes('\0')) return 'a text has a NUL character'
  return text.isWellFormed() ? undefined : 'a text is not well-formed Unicode'
}

/** JSON can contain numbers that JavaScript cannot represent. */
function problemOfNumber (number: number): string | undefined {
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
  return isExact ? undefined : 'a number is too large to be exact: write it as a text'
}

function problemOf (value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return problemOfText(value)
  if (typeof value === 'number') return problemOfNumber(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > MAX_DEPTH) return `it has more than ${MAX_DEPTH} levels`
  for (const [name, member] of Object.entries(value)) {
    if (REFUSED_NAMES.includes(name)) return `a member must not be named ${name}`
    const problem = problemOfText(name) ?? problemOf(member, depth + 1)
    if (problem) return problem
  }
}

/** `value` comes from JSON. Returns it, or throws InvalidData. */
export function checkData (value: unknown): AccountData {
  if (!isObject(value)) throw new InvalidData('it must be a JSON object')
  const problem = problemOf(value, 1)
  if (problem) throw new InvalidData(problem)
  const bytes = Buffer.byteLength(textOf(value))
  if (bytes > MAX_BYTES) throw new InvalidData(`it has ${bytes} bytes, and at most ${MAX_BYTES} are stored`)
  return value
}

/** As it is stored and counted. */
export const textOf = (data: AccountData): string => JSON.stringify(data)
