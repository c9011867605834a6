import t from 'tap'
import { createVerifiedTokens } from '../../../src/sessions/verified-tokens.ts'

t.test('a token is cached by its exact text, until it expires', async t => {
  let now = 0
  const verified = createVerifiedTokens<{ exp: number, userId: string }>(10, () => now)
  verified.add('aaa.bbb.ccc', { exp: 900, userId: '1' })
  t.match(verified.get('aaa.bbb.ccc'), { userId: '1' })
  for (const other of ['aaa.bbb.ccd', 'aaa.bbb.cc', 'aab.bbb.ccc', '']) t.equal(verified.get(other), undefined)
  now = 899_999
  t.ok(verified.get('aaa.bbb.ccc'))
  now = 900_000
  t.equal(verified.get('aaa.bbb.ccc'), undefined)
})

t.test('a full cache drops unused tokens, not those in use', async t => {
  const verified = createVerifiedTokens(100, () => 0)
  verified.add('unused', { exp: 1 })
  verified.add('in-use', { exp: 1 })
  const others = Array.from({ length: 1_000 }, (_, n) => `other ${n}`)
  const kept = others.map(token => {
    verified.add(token, { exp: 1 })
    return verified.get('in-use')
  })
  t.ok(kept.every(Boolean))
  t.equal(verified.get('unused'), undefined)
  t.ok(others.filter(token => verified.get(token)).length < 100, 'bounded')
})
