import { createRequire } from 'node:module'
import t from 'tap'
import zxcvbn from 'zxcvbn'
import { applyRules } from '../../src/passwords/policy.ts'
import { PASSWORD } from '../support/browser.ts'

t.test('the 3,000 most common passwords and simple variants are refused', async t => {
  const { passwords } = createRequire(import.meta.url)('zxcvbn/lib/frequency_lists') as { passwords: string[] }
  const common = passwords.filter(password => password.length >= 8).slice(0, 3_000)
  t.equal(common.length, 3_000)
  const taken = common
    .flatMap(password => [password, `${password[0]?.toUpperCase()}${password.slice(1)}1!`])
    .filter(password => {
      const { score, feedback } = zxcvbn(password)
      return applyRules(password, { score, feedback: feedback.suggestions }).valid
    })
  t.strictSame(taken, [])
  const { score } = zxcvbn(PASSWORD)
  t.ok(applyRules(PASSWORD, { score, feedback: [] }).valid, 'a good one is accepted')
})
