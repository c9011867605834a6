import fc from 'fast-check'
import t from 'tap'
import { isHashable, isTooLong, RULES } from '../../pages/parts/password-rules.js'
import { applyRules } from '../../src/passwords/policy.ts'

const MESSAGES: Record<string, RegExp> = {
  length: /at least 8/,
  lowercase: /lowercase/,
  uppercase: /uppercase/,
  digit: /numbers/,
  special: /special/,
}

t.test('the rules on the page are those of the service', async t => {
  t.strictSame(Object.keys(RULES), Object.keys(MESSAGES))
  const password = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 90 }),
    fc.string({
      unit: fc.constantFrom('a', 'B', '7', '-', 'ß', 'Ä', '٣', '😀', ' ', '漢', '\0', '\ud800'),
      maxLength: 40,
    })
  )
  fc.assert(
    fc.property(password, password => {
      const { errors } = applyRules(password, { score: 4, feedback: [] })
      const agree = Object.entries(RULES).every(
        ([rule, holds]) => holds(password) !== errors.some(error => MESSAGES[rule]?.test(error))
      )
      const isUnhashable = errors.some(error => /Unicode text|NUL/.test(error))
      return agree && isTooLong(password) === errors.some(error => /72 bytes/.test(error)) &&
        isHashable(password) !== isUnhashable
    }),
    { numRuns: 2_000 }
  )
})
