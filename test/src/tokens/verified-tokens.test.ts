import t from 'tap'
import { createVerifiedTokens } from '../../../src/tokens/verified-tokens.ts'

t.test('a token is known to the letter, and until it ends', async t => {
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

t.test('a crowd pushes out those who have gone, not those who come again', async t => {
  const verified = createVerifiedTokens(100, () => 0)
  verified.add('gone', { exp: 1 })
  verified.add('regular', { exp: 1 })
  const crowd = Array.from({ length: 1_000 }, (_, n) => `passer-by ${n}`)
  const stayed = crowd.map(token => {
    verified.add(token, { exp: 1 })
    return verified.get('regular')
  })
  t.ok(stayed.every(Boolean))
  t.equal(verified.get('gone'), undefined)
  t.ok(crowd.filter(token => verified.get(token)).length < 100, 'bounded')
})
