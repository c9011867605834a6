import t from 'tap'
import { growth } from '../support/faults/flatness.ts'
import { createRandom } from '../support/faults/random.ts'

const SAMPLES = 180
const LARGE = { share: 0.1, least: 5 }
const random = createRandom(1)
const series = (at: (index: number) => number) =>
  Array.from({ length: SAMPLES }, (_, index) => at(index) + random.between(-10, 10))

t.test('growth: found for a leak, not for noise', async t => {
  t.equal(
    growth(
      series(() => 200),
      LARGE
    ),
    undefined,
    'noise'
  )
  t.equal(
    growth(
      series(index => 200 + (index % 15) * 8),
      LARGE
    ),
    undefined,
    'a sawtooth, as from garbage collection'
  )
  t.equal(
    growth(
      series(index => 200 * (1 - Math.exp(-index / 5))),
      LARGE
    ),
    undefined,
    'growth that ends after the start'
  )
  t.equal(
    growth(
      series(index => (index === 170 ? 2_000 : 200)),
      LARGE
    ),
    undefined,
    'a single peak'
  )
  t.match(
    growth(
      series(index => 200 + index),
      LARGE
    ),
    /^from \d+ to \d+$/,
    'a slow leak'
  )
  t.match(
    growth(
      series(index => 200 + index + (index % 15) * 8),
      LARGE
    ),
    /^from/,
    'a slow leak under a sawtooth'
  )
  t.equal(growth(Array(SAMPLES).fill(3), LARGE), undefined, 'constant figures')
})
