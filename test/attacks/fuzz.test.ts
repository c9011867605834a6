import t from 'tap'
import { fuzz } from '../support/attacks/fuzz.ts'

t.test(
  '500 requests, from right to hostile, to every route: each answer is as documented',
  { timeout: 110_000 },
  async t => {
    await fuzz(t, 500)
  }
)
