import { randomBytes } from 'node:crypto'
import fc, { type Arbitrary } from 'fast-check'
import { secrets } from '../build.ts'

/** Part of every value that must never be logged: passwords, tokens, codes, cookies. */
export const CANARY = `canary-${randomBytes(8).toString('hex')}`
secrets.add(CANARY)

const SECRET_FIELDS = ['password', 'current', 'token', 'code', 'state']

const NASTY = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\udfff\ud800',
  '\ufeff',
  '\u202eabc',
  '\u0301'.repeat(40),
  '🏰'.repeat(18),
  'İıſK',
  'a\r\nset-cookie: x=1',
  "' OR 1=1 --",
  '$1',
  '%00',
  '%',
  '..%2f..%2f',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '-1',
  '1e999',
  '<script>alert(1)</script>',
  'a@b',
  '@',
  'a@b@c',
  '"a b"@example.com',
  `${'x'.repeat(64)}@${'y'.repeat(180)}.example`,
  'x'.repeat(73),
  'x'.repeat(255),
  'x'.repeat(1_001),
  'ÿ'.repeat(600),
]

/** The code points from here to LAST_SURROGATE are no characters. */
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff
const SURROGATES = LAST_SURROGATE - FIRST_SURROGATE + 1

/** Any character, as the unit `binary`, which takes a second to build: it maps each of a million to its number. */
const anyCharacter = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  number => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  function numberOf (character) {
    const code = String(character).codePointAt(0) ?? FIRST_SURROGATE
    const isSurrogate = code >= FIRST_SURROGATE && code <= LAST_SURROGATE
    if (isSurrogate || character !== String.fromCodePoint(code)) throw new Error('not one character')
    return code < FIRST_SURROGATE ? code : code - SURROGATES
  }
)

/** Without strings of 33 to 72 random characters, for which zxcvbn may use its whole timeout. */
export const hostileString: Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...NASTY) },
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 16 })
)

function nested (depth: number): unknown {
  return depth === 0 ? 'deep' : depth % 2 ? [nested(depth - 1)] : { a: nested(depth - 1) }
}

export const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileString },
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    [],
    {},
    [[]],
    ['x'],
    { $ne: '' },
    { toString: 1 },
    { length: 5 }
  ),
  fc.integer({ min: 1, max: 500 }).map(nested),
  fc.jsonValue({ maxDepth: 3 })
)

/** For a secret field, the value contains the canary. */
export const marked = (field: string, value: unknown) =>
  SECRET_FIELDS.includes(field) && typeof value === 'string' ? `${CANARY}${value}` : value

/** Characters that HTTP allows in a header. */
export const headerValue: Arbitrary<string> = fc
  .oneof(
    fc.string({
      unit: fc
        .integer({ min: 32, max: 255 })
        .filter(code => code !== 127)
        .map(code => String.fromCharCode(code)),
      maxLength: 40,
    }),
    fc.constantFrom(
      '',
      '*',
      'null',
      ',',
      ';;;=',
      '"',
      'x'.repeat(2_000),
      '%00',
      '\u00ff\u00fe',
      '-1',
      '0',
      '__proto__'
    )
  )
  .map(value => value.trim())
