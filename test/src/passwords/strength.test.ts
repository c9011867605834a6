import t from 'tap'
import { Unavailable } from '../../../src/errors.ts'
import { createStrengthRater } from '../../../src/passwords/strength.ts'

/** zxcvbn takes minutes. */
const HOSTILE = 'Aa4@8({[<369!1|7+$5%20'.repeat(3).slice(0, 48)

function createRater () {
  const rater = createStrengthRater()
  t.teardown(() => rater.close())
  return rater
}

t.test('quick ratings run one at a time for each client: many of one client delay another by one', async t => {
  const rater = createRater()
  const finished: string[] = []
  const rate = async (client: string, index: number) => {
    await rater.rate(`trombone-${index}`, [], client)
    finished.push(client)
  }
  const flood = Array.from({ length: 20 }, (_, index) => rate('192.0.2.1', index))
  await Promise.all([...flood, rate('192.0.2.2', 20)])
  t.ok(finished.indexOf('192.0.2.2') <= 2, finished.join(' '))
})

t.test('a part of a password is not rated if it cuts a word of the user in two', async t => {
  const rater = createRater()
  const username = 'xkqzvwplmrtyhgfd'
  await t.rejects(rater.rate(username + HOSTILE, [username]), Unavailable)
  t.match(await rater.rate(username + HOSTILE, []), { score: 4 }, 'the same password of another user')
})
