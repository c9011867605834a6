import { randomInt } from 'node:crypto'
import t from 'tap'
import { disagreements, inLanes, malformedHashesThatMatch, openLanes } from '../support/native/agreement.ts'
import { randomSample } from '../support/native/random-checks.ts'

const check = openLanes()

t.test('4,000 random passwords: agrees with the bcrypt package', { timeout: 600_000 }, async t => {
  const cost = () => randomInt(10) > 0 ? 4 : 5 + randomInt(2)
  t.strictSame(await disagreements(check, 4_000, cost), [])
})

t.test('costs 7 to 12: agrees with the bcrypt package', { timeout: 600_000 }, async t => {
  for (let round = 0; round < 5; round++) {
    const samples = await Promise.all([7, 8, 9 + randomInt(2), 11 + randomInt(2)].map(randomSample))
    t.strictSame(await inLanes(check, samples), samples.map(({ matches }) => matches))
  }
})

t.test('4,000 malformed hashes: none matches that bcrypt refuses', { timeout: 600_000 }, async t => {
  t.strictSame(await malformedHashesThatMatch(check, 4_000), [])
})
