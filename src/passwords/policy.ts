/** zxcvbn's score, from 0 (weak) to 4 (strong), and its suggestions. */
export interface Strength { score: number, feedback: string[] }

export interface Assessment extends Strength {
  isStrong: boolean
  valid: boolean
  errors: string[]
}

type Rule = [holds: (password: string) => boolean, message: string]

export const MIN_STRONG_SCORE = 3

const RULES: Rule[] = [
  [password => [...password].length >= 8, 'Password must be at least 8 characters'],
  [password => /\p{Ll}/u.test(password), 'Password must contain lowercase letters'],
  [password => /\p{Lu}/u.test(password), 'Password must contain uppercase letters'],
  [password => /\p{Nd}/u.test(password), 'Password must contain numbers'],
  [password => /[^\p{L}\p{Nd}]/u.test(password), 'Password must contain special characters'],
]

/** bcrypt ignores everything after 72 bytes or a NUL character, and cannot tell lone surrogates apart. */
const HASHABLE: Rule[] = [
  [
    password => Buffer.byteLength(password) <= 72,
    'Password must be at most 72 bytes long: 72 plain characters, fewer with accents or emoji',
  ],
  [password => password.isWellFormed(), 'Password must be valid Unicode text'],
  [password => !password.includes('\0'), 'Password must not contain a NUL character'],
]

const broken = (rules: Rule[], password: string) =>
  rules.filter(([holds]) => !holds(password)).map(([, message]) => message)

/** Only a hashable password may be rated or hashed. */
export const isHashable = (password: string): boolean => broken(HASHABLE, password).length === 0

/** Applies every rule. Only a password that is not hashable has no strength. */
export function applyRules (password: string, strength?: Strength): Assessment {
  const { score, feedback } = strength ?? { score: 0, feedback: [] }
  const isStrong = score >= MIN_STRONG_SCORE
  const unhashable = broken(HASHABLE, password)
  const errors = broken(RULES, password)
  if (strength && !isStrong) errors.push(['Password is too weak.', ...feedback].join(' '))
  errors.push(...unhashable)
  return { score, feedback, isStrong, valid: errors.length === 0, errors }
}

/** Words that an attacker who knows the user tries first: ann.lee, annlee, ann and lee for `ann.lee@example.org`. */
export function wordsOf (inputs: string[]): string[] {
  const pieces = inputs.flatMap(input => [input, ...input.split('@')])
  const words = pieces.flatMap(piece => {
    const parts = piece.split(/[^\p{L}\p{N}]+/u)
    return [piece, parts.join(''), ...parts]
  })
  return [...new Set(['gatehouse', ...words.map(word => word.toLowerCase())])].filter(word => word.length >= 3)
}
