import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createSeenBefore } from '../../../src/sessions/seen-before.ts'

const tokens = (count: number) => Array.from({ length: count }, () => `a.b.${randomBytes(32).toString('base64url')}`)

t.test('the second use of a token, not the first', async t => {
  const seenBefore = createSeenBefore()
  const few = tokens(100)
  // Two of them may share a place, and then neither is remembered.
  t.ok(few.filter(token => seenBefore(token)).length < 3)
  t.ok(few.filter(token => seenBefore(token)).length > 90)
})

t.test('tokens that come again after many others are forgotten', async t => {
  const seenBefore = createSeenBefore()
  const many = tokens(200_000)
  for (const token of many) seenBefore(token)
  t.ok(many.filter(token => seenBefore(token)).length < 2_000)
})

t.test('short texts', async t => {
  const seenBefore = createSeenBefore()
  t.equal(seenBefore('a'), false)
  t.equal(seenBefore('a'), true)
})
