import t from 'tap'
import { isHashable, applyRules, wordsOf } from '../../../src/passwords/policy.ts'

const SHORT = 'Password must be at least 8 characters'
const LOWER = 'Password must contain lowercase letters'
const UPPER = 'Password must contain uppercase letters'
const DIGIT = 'Password must contain numbers'
const SPECIAL = 'Password must contain special characters'
const LONG = 'Password must be at most 72 bytes long: 72 plain characters, fewer with accents or emoji'
const MALFORMED = 'Password must be valid Unicode text'
const NUL = 'Password must not contain a NUL character'

const STRONG = { score: 3, feedback: [] }

const VERDICTS: Array<[what: string, password: string, errors: string[]]> = [
  ['keeps all rules', 'aB3-efgh', []],
  ['seven characters', 'aB3-efg', [SHORT]],
  ['no lowercase', 'AB3-EFGH', [LOWER]],
  ['no uppercase', 'ab3-efgh', [UPPER]],
  ['no digit', 'aBc-efgh', [DIGIT]],
  ['no special character', 'aB3defgh', [SPECIAL]],
  ['breaks every rule, in the order of the specification', '', [SHORT, LOWER, UPPER, DIGIT, SPECIAL]],
  ['lowercase of another alphabet', 'пAB3-EFG', []],
  ['uppercase of another alphabet', 'abc3-efЖ', []],
  ['digit of another script', 'aBc-efg٣', []],
  ['a letter of another alphabet is not special', 'aB3defgé', [SPECIAL]],
  ['a space is special', 'aB3 efgh', []],
  ['an emoji is special, and one character: seven in all', 'aB3efg😀', [SHORT]],
  ['length counts characters, not UTF-16 units', 'aB3😀😀😀', [SHORT]],
  ['72 bytes', 'aB3-'.repeat(18), []],
  ['73 bytes', 'aB3-'.repeat(18) + 'x', [LONG]],
  ['72 characters, 73 bytes', 'aB3-'.repeat(17) + 'aB3é', [LONG]],
  ['lone surrogate', 'aB3-efgh\ud800', [MALFORMED]],
  ['NUL', 'aB3-efgh\0', [NUL]],
  [
    'rules beyond the specification come last',
    '\0\udc00'.repeat(30),
    [LOWER, UPPER, DIGIT, LONG, MALFORMED, NUL],
  ],
]

for (const [what, password, errors] of VERDICTS) {
  t.test(what, async t => {
    t.strictSame(applyRules(password, STRONG), { ...STRONG, isStrong: true, valid: errors.length === 0, errors })
  })
}

t.test('strength: strong from score 3; feedback after the message', async t => {
  for (const score of [0, 1, 2]) {
    t.strictSame(applyRules('aB3-efgh', { score, feedback: ['Add a word.', 'Too common'] }), {
      score,
      feedback: ['Add a word.', 'Too common'],
      isStrong: false,
      valid: false,
      errors: ['Password is too weak. Add a word. Too common'],
    })
  }
  for (const score of [3, 4]) {
    t.match(applyRules('aB3-efgh', { score, feedback: [] }), { isStrong: true, valid: true })
  }
  t.strictSame(
    applyRules('aB3-efgh', { score: 1, feedback: [] }).errors,
    ['Password is too weak.'],
    'no space at the end'
  )
  t.strictSame(
    applyRules('ab', { score: 0, feedback: [] }).errors,
    [SHORT, UPPER, DIGIT, SPECIAL, 'Password is too weak.'],
    'the sixth rule'
  )
})

t.test('a password that is not hashable is refused without a rating', async t => {
  t.strictSame(applyRules('aB3-'.repeat(19)).errors, [LONG])
})

t.test('hashable: only what bcrypt distinguishes', async t => {
  for (const password of ['', 'x'.repeat(72), 'é'.repeat(36), '😀'.repeat(18)]) t.ok(isHashable(password))
  for (const password of [
    'x'.repeat(73),
    'é'.repeat(36) + 'x',
    '😀'.repeat(18) + 'x',
    '\ud83d',
    '\ude00\ud83d',
    'a\0a',
  ]) { t.notOk(isHashable(password)) }
})

t.test('user words: values, parts of the email, parts, joined parts; at least three letters', async t => {
  t.strictSame(wordsOf([]), ['gatehouse'])
  t.strictSame(wordsOf(['', 'al', "Zoë-Maria O'Hara", 'zoë']), [
    'gatehouse',
    "zoë-maria o'hara",
    'zoëmariaohara',
    'zoë',
    'maria',
    'hara',
  ])
  t.strictSame(wordsOf(['Ann.Lee@Example.org']), [
    'gatehouse',
    'ann.lee@example.org',
    'annleeexampleorg',
    'ann',
    'lee',
    'example',
    'org',
    'ann.lee',
    'annlee',
    'example.org',
    'exampleorg',
  ])
})
