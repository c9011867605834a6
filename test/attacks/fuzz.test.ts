import t from 'tap'
import { fuzz } from '../support/attacks/fuzz.ts'

t.test('fuzz: 500 requests to every route, each response as documented', async t => {
  await fuzz(t, 500)
})
