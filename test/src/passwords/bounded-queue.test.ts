// Tasks that share a place. The other tests of the queue are in test/plugins/passwords/passwords.test.ts.
import fc from 'fast-check'
import t from 'tap'
import { Overloaded } from '../../../src/errors.ts'
import { createQueue } from '../../../src/passwords/bounded-queue.ts'

interface Settings { maxRunning?: number, maxWaiting?: number, timeout?: number, max?: number }

/** A queue whose work ends when the test says so. Names with a capital letter cannot share a place. */
function controlledQueue ({ maxRunning = 1, maxWaiting = 99, timeout, max = 4 }: Settings = {}) {
  const begun: string[] = []
  const running = new Map<string, PromiseWithResolvers<void>>()
  const waits: number[] = []
  async function work (names: string) {
    begun.push(names)
    const ending = Promise.withResolvers<void>()
    running.set(names, ending)
    await ending.promise
    return [...names].map(name => `${name} of ${names}`)
  }
  const queue = createQueue<string>({
    name: 'tests',
    maxRunning,
    maxWaiting,
    timeout,
    together: { max, run: names => work(names.join('')) },
    onStart: waited => waits.push(waited),
  })
  return {
    queue,
    begun,
    waits,
    add: (name: string, signal?: AbortSignal) =>
      queue.run(async () => (await work(name))[0], signal, /[a-z]/.test(name) ? name : undefined),
    async end (names: string, error?: Error) {
      const ending = running.get(names)
      if (!ending) throw new Error(`${names} does not run, but ${[...running.keys()]}`)
      running.delete(names)
      if (error) ending.reject(error)
      else ending.resolve()
      await new Promise(resolve => setImmediate(resolve))
    },
  }
}

t.test('what comes alone runs alone at once; what waits together shares the next place', async t => {
  const { queue, add, end, begun, waits } = controlledQueue()
  const results = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(name => add(name)))
  t.strictSame(begun, ['a'])
  t.match(queue, { running: 1, waiting: 5 })
  await end('a')
  t.match(queue, { running: 4, waiting: 1 })
  await end('bcde')
  t.strictSame(begun, ['a', 'bcde', 'f'], 'alone again')
  await end('f')
  t.strictSame(await results, ['a of a', 'b of bcde', 'c of bcde', 'd of bcde', 'e of bcde', 'f of f'])
  t.match(queue, { running: 0, waiting: 0 })
  t.equal(waits.length, 6, 'each wait is measured')
})

t.test('several places: what waits is spread over them', async t => {
  const { add, end, begun } = controlledQueue({ maxRunning: 2 })
  for (const name of 'abcdefg') add(name)
  await end('a')
  await end('b')
  t.strictSame(begun, ['a', 'b', 'cde', 'f'])
  await end('f')
  t.strictSame(begun.at(-1), 'g', 'the place is free again, not more')
})

t.test('no one overtakes what must run alone', async t => {
  const { add, end, begun } = controlledQueue()
  for (const name of 'abcDEfg') add(name)
  for (const names of ['a', 'bc', 'D', 'E']) await end(names)
  t.strictSame(begun, ['a', 'bc', 'D', 'E', 'fg'])
})

t.test('those that have gone are skipped, and so are those that waited too long', async t => {
  const { queue, add, end, begun } = controlledQueue({ timeout: 20 })
  add('a')
  const late = add('b')
  await t.rejects(late, Overloaded)
  const gone = new AbortController()
  const left = add('c', gone.signal)
  add('d')
  add('e')
  gone.abort()
  await t.rejects(left, Overloaded)
  await t.rejects(add('f', AbortSignal.abort()), Overloaded)
  t.match(queue, { running: 1, waiting: 2 })
  await end('a')
  t.strictSame(begun, ['a', 'de'])
})

t.test('an abort after the start changes nothing', async t => {
  const { add, end } = controlledQueue({ timeout: 1 })
  const gone = new AbortController()
  const first = add('a', gone.signal)
  const second = add('b', gone.signal)
  await end('a')
  gone.abort()
  await new Promise(resolve => setTimeout(resolve, 5))
  await end('b')
  t.strictSame(await Promise.all([first, second]), ['a of a', 'b of b'])
})

t.test('a failure fails those that shared the place, and frees it', async t => {
  const { queue, add, end } = controlledQueue()
  add('a')
  const failed = Promise.allSettled([add('b'), add('c')])
  await end('a')
  const next = add('d')
  await end('bc', new Error('fault'))
  t.match(await failed, [{ reason: { message: 'fault' } }, { reason: { message: 'fault' } }])
  await end('d')
  t.equal(await next, 'd of d')
  t.match(queue, { running: 0, waiting: 0 })
})

/** Measured durations of one to four passwords in one thread, of which one alone takes 1. */
const DURATION = [0, 1, 1.4, 1.65, 2.1]

interface Arrival { after: number, alone: boolean }

/** When each task begins, in the order of arrival, on a clock of its own. */
async function starts (arrivals: Arrival[], maxRunning: number, max: number): Promise<number[]> {
  const begun: number[] = []
  const ends: Array<{ at: number, end (): void }> = []
  let now = 0
  function work (items: number[]): Promise<number[]> {
    for (const item of items) begun[item] = now
    return new Promise(resolve => {
      ends.push({ at: now + (DURATION[items.length] as number), end: () => resolve(items) })
    })
  }
  const queue = createQueue<number>({ name: 'tests', maxRunning, maxWaiting: Infinity, together: { max, run: work } })
  let due = 0
  const events = arrivals.map(({ after, alone }, id) => {
    due += after
    return { at: due, id, alone }
  })
  while (events.length > 0 || ends.length > 0) {
    ends.sort((a, b) => a.at - b.at)
    const [arrival] = events
    const [ending] = ends
    if (arrival && (!ending || arrival.at < ending.at)) {
      events.shift()
      now = arrival.at
      queue.run(() => work([arrival.id]), undefined, arrival.alone ? undefined : arrival.id)
    } else if (ending) {
      ends.shift()
      now = ending.at
      ending.end()
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  return begun
}

t.test('fair: no task begins later than if none shared a place', async t => {
  const arrival = fc.record({
    after: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1.5, noNaN: true })),
    alone: fc.integer({ min: 0, max: 4 }).map(number => number === 0),
  })
  await fc.assert(fc.asyncProperty(
    fc.array(arrival, { maxLength: 30 }),
    fc.integer({ min: 1, max: 4 }),
    async (arrivals, maxRunning) => {
      const [shared, before] = [await starts(arrivals, maxRunning, 4), await starts(arrivals, maxRunning, 1)]
      const later = shared.filter((at, id) => at > (before[id] as number) + 1e-9)
      if (later.length > 0) throw new Error(`later: ${later}, ${shared} instead of ${before}`)
    }
  ), { numRuns: 150 })
  t.equal((await starts([0, 0, 0].map(after => ({ after, alone: false })), 1, 4)).at(-1), 1, 'and many begin earlier')
})
