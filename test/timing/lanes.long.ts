// npm run test:timing: does a password that shares a core with others take as long for every kind of account?
// Counts processor time, which does not depend on what else the machine does.
import t from 'tap'
import { hashOf, PASSWORD } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { burn, processorTime } from '../support/timing/processor-time.ts'
import { measure, type Ask } from '../support/timing/sampler.ts'

/** Four passwords at once take about 9 ms. */
const COST = 6
const CHEAPER = 4

t.test('passwords in lanes: equal time for every kind of account', async t => {
  const { app: { passwords } } = await build(t, { settings: { HASHING_THREADS: '1', BCRYPT_COST: String(COST) } })
  const [current, cheap] = [await hashOf(PASSWORD, COST), await hashOf(PASSWORD, CHEAPER)]
  const wrong = 'wr0ng-Guess-in-the-dark!'

  /** The only thread checks four at once: this one, and three cheaper ones. */
  const inLanes = (verify: () => Promise<unknown>, together = 4): Ask => async () => {
    const began = processorTime()
    const ended = verify().then(processorTime)
    const others = [cheap, cheap, cheap].map(hash => passwords.verify('another', hash))
    if (passwords.queue.running !== together) throw new Error(`${passwords.queue.running} at once`)
    await Promise.all(others)
    return await ended - began
  }

  await measure(t, {
    reference: inLanes(() => passwords.verify(wrong, current)),
    classes: {
      'unknown account': inLanes(() => passwords.verify(wrong)),
      'no password': inLanes(() => passwords.verify(wrong, null)),
      'a hash of a lower cost': inLanes(() => passwords.verify(wrong, cheap)),
      'a password that is too long': inLanes(() => passwords.verify('x'.repeat(73), current)),
      'the right password': inLanes(() => passwords.verify(PASSWORD, current)),
    },
    planted: {
      '+ 6 ms (planted)': inLanes(() => passwords.verify(wrong).then(() => burn(6))),
      'no hash (planted)': inLanes(async () => false, 3),
    },
    // Less than a hash of a lower cost would save.
    limit: 3,
  })
})
