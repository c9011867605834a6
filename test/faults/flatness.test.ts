import t from 'tap'
import { growth } from '../support/faults/flatness.ts'
import { createRandom } from '../support/faults/random.ts'

const SAMPLES = 180
const LARGE = { share: 0.1, least: 5 }
const random = createRandom(1)
const series = (at: (index: number) => number) =>
  Array.from({ length: SAMPLES }, (_, index) => at(index) + random.between(-10, 10))

t.test('growth', async t => {
  t.equal(
    growth(
      series(() => 200),
      LARGE
    ),
    undefined,
    'noise is flat'
  )
  t.equal(
    growth(
      series(index => 200 + (index % 15) * 8),
      LARGE
    ),
    undefined,
    'so is a saw, which garbage collection makes'
  )
  t.equal(
    growth(
      series(index => 200 * (1 - Math.exp(-index / 5))),
      LARGE
    ),
    undefined,
    'so is what settles after the start'
  )
  t.equal(
    growth(
      series(index => (index === 170 ? 2_000 : 200)),
      LARGE
    ),
    undefined,
    'so is one peak'
  )
  t.match(
    growth(
      series(index => 200 + index),
      LARGE
    ),
    /^from \d+ to \d+$/,
    'a slow leak is found'
  )
  t.match(
    growth(
      series(index => 200 + index + (index % 15) * 8),
      LARGE
    ),
    /^from/,
    'also under a saw'
  )
  t.equal(growth(Array(SAMPLES).fill(3), LARGE), undefined, 'figures that never change')
})
