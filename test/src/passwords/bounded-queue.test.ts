// The other tests of the queue are in test/plugins/passwords/passwords.test.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createQueue } from '../../../src/passwords/bounded-queue.ts'

t.test('an abort or a timeout after the start changes nothing', async t => {
  const queue = createQueue({ name: 'tests', maxRunning: 1, maxWaiting: 9, timeout: 1_000 })
  const gone = new AbortController()
  const works = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const results = works.map(({ promise }) => queue.run(() => promise, gone.signal))
  works[0]?.resolve('first')
  t.equal(await results[0], 'first')
  gone.abort()
  await sleep(5)
  works[1]?.resolve('second')
  t.equal(await results[1], 'second')
})

t.test('each wait is measured', async t => {
  const waits: number[] = []
  const queue = createQueue({ name: 'tests', maxRunning: 2, maxWaiting: 9, onStart: waited => waits.push(waited) })
  await Promise.all(Array.from({ length: 5 }, () => queue.run(() => sleep(5))))
  t.equal(waits.length, 5)
  t.ok(waits.slice(2).every(waited => waited > 0))
})
