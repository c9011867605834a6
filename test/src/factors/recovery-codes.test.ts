import t from 'tap'
import { createRecoveryCodes, digestOfCode } from '../../../src/factors/recovery-codes.ts'

t.test('ten codes of 80 bits, each different', async t => {
  const codes = [...createRecoveryCodes(), ...createRecoveryCodes()]
  t.equal(new Set(codes).size, 20)
  for (const code of codes) t.match(code, /^[0-9a-f]{5}(-[0-9a-f]{5}){3}$/)
})

t.test('the digest belongs to one account and forgives how a code is typed', async t => {
  const digest = digestOfCode('1', '3f9a1-0c7be-52d84-e61f0')
  for (const typed of ['3F9A10C7BE52D84E61F0', ' 3f9a1 0c7be 52d84 e61f0 ']) t.same(digestOfCode('1', typed), digest)
  t.notSame(digestOfCode('2', '3f9a1-0c7be-52d84-e61f0'), digest)
  t.notSame(digestOfCode('1', '3f9a1-0c7be-52d84-e61f1'), digest)
})
