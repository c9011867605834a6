import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { newAttempt, type Counters } from '../../../src/counters/counters.ts'
import { createMemoryCounters } from '../../../src/counters/memory-counters.ts'
import { createRedisCounters } from '../../../src/counters/redis-counters.ts'
import { redisUrl, withoutRedis } from '../../support/build.ts'
import { passTime } from '../../support/redis-windows.ts'

/** `pass` moves the clock by so many milliseconds, for the key `a`. */
interface Clocked { counters: Counters, pass (ms: number): unknown }

/** Both implementations pass the same tests. */
function promises (name: string, options: { skip?: string | false }, create: (t: Test) => Promise<Clocked>) {
  t.test(`${name}: counts in a window, starts again after it`, options, async t => {
    const { counters, pass } = await create(t)
    t.match(await counters.take('a', 60_000), { count: 1 })
    const second = await counters.take('a', 60_000)
    t.equal(second.count, 2)
    t.ok(second.resetMs > 0 && second.resetMs <= 60_000)
    t.match(await counters.take('b', 60_000), { count: 1 }, 'another key')
    await pass(second.resetMs + 1)
    t.match(await counters.take('a', 60_000), { count: 1 })
  })

  const limit = { max: 2, windowMs: 60_000, leaseMs: 60_000 }

  t.test(`${name}: attempts under way fill the limit, and those that are released leave it`, options, async t => {
    const { counters } = await create(t)
    const [one, two, three] = [newAttempt('a'), newAttempt('a'), newAttempt('a')]
    t.match(await counters.begin(one, limit), { state: 'started', failed: 0 })
    t.match(await counters.begin(two, limit), { state: 'started', failed: 0 })
    t.match(await counters.begin(three, limit), { state: 'busy', failed: 0 })
    t.match(await counters.begin(newAttempt('b'), limit), { state: 'started' }, 'another key')
    await counters.release(one)
    t.match(await counters.begin(three, limit), { state: 'started', failed: 0 })
  })

  t.test(`${name}: failed attempts fill the limit until their window ends`, options, async t => {
    const { counters, pass } = await create(t)
    const attempt = newAttempt('a')
    await counters.begin(attempt, limit)
    const first = await counters.fail(attempt, limit)
    t.equal(first.failed, 1)
    t.ok(first.resetMs > 0 && first.resetMs <= 60_000)
    t.match(await counters.fail(newAttempt('a'), limit), { failed: 2 }, 'one that was not begun counts as well')
    const refused = await counters.begin(newAttempt('a'), limit)
    t.match(refused, { state: 'refused', failed: 2 })
    t.ok(refused.resetMs > 0 && refused.resetMs <= 60_000)
    await pass(refused.resetMs + 1)
    t.match(await counters.begin(newAttempt('a'), limit), { state: 'started', failed: 0 })
  })

  t.test(`${name}: one failed and one under way are two`, options, async t => {
    const { counters } = await create(t)
    await counters.fail(newAttempt('a'), limit)
    t.match(await counters.begin(newAttempt('a'), limit), { state: 'started', failed: 1 })
    t.match(await counters.begin(newAttempt('a'), limit), { state: 'busy', failed: 1 })
  })

  t.test(`${name}: an attempt that is never decided stops counting when its lease ends`, options, async t => {
    const { counters, pass } = await create(t)
    await counters.begin(newAttempt('a'), limit)
    const late = newAttempt('a')
    await counters.begin(late, limit)
    t.match(await counters.begin(newAttempt('a'), limit), { state: 'busy' })
    await pass(limit.leaseMs + 1)
    t.match(await counters.begin(newAttempt('a'), limit), { state: 'started' })
    t.match(await counters.fail(late, limit), { failed: 1 }, 'but still counts when it fails after all')
  })

  t.test(`${name}: two hundred attempts at once start as many as the limit has`, options, async t => {
    const { counters } = await create(t)
    const states = await Promise.all(Array.from({ length: 200 }, () => counters.begin(newAttempt('a'), limit)))
    t.equal(states.filter(({ state }) => state === 'started').length, 2)
    t.equal(states.filter(({ state }) => state === 'busy').length, 198)
  })

  t.test(`${name}: two hundred at once get two hundred different counts`, options, async t => {
    const { counters } = await create(t)
    const taken = await Promise.all(Array.from({ length: 200 }, () => counters.take('a', 5_000)))
    t.equal(new Set(taken.map(each => each.count)).size, 200)
  })
}

promises('memory', {}, async () => {
  let passed = 0
  return {
    counters: createMemoryCounters(() => Date.now() + passed),
    pass (ms) { passed += ms },
  }
})

promises('Redis', { skip: withoutRedis }, async t => {
  const redis = new Redis(await redisUrl(t))
  t.teardown(() => redis.disconnect())
  const prefix = `test:${t.name}:${process.pid}:`
  return { counters: createRedisCounters(redis, prefix), pass: ms => passTime(redis, `${prefix}a`, ms) }
})

t.test('Redis: every key expires', { skip: withoutRedis }, async t => {
  const redis = new Redis(await redisUrl(t))
  t.teardown(() => redis.disconnect())
  const prefix = `test:expiry:${process.pid}:`
  const counters = createRedisCounters(redis, prefix)
  const limit = { max: 5, windowMs: 60_000, leaseMs: 30_000 }
  const expiry = (key: string) => redis.pttl(`${prefix}${key}`)
  await counters.take('a', 60_000)
  const begun = newAttempt('b')
  await counters.begin(begun, limit)
  await counters.fail(newAttempt('c'), limit)
  for (const key of ['a', 'b', 'c']) t.ok(await expiry(key) > 0 && await expiry(key) <= 60_000, key)
  await counters.release(begun)
  t.equal(await redis.exists(`${prefix}b`), 0, 'nothing is left of an attempt that does not count')
})

t.test('memory: the number of keys is bounded', async t => {
  const counters = createMemoryCounters()
  await counters.take('oldest', 60_000)
  for (let key = 0; key < 100_001; key++) await counters.take(`flood-${key}`, 60_000)
  t.match(await counters.take('oldest', 60_000), { count: 1 }, 'the oldest was removed')
  t.match(await counters.take('flood-100000', 60_000), { count: 2 }, 'the newest are still counted')
})

t.test('memory: a key that was cut from a header does not keep the header', async t => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc')
  const counters = createMemoryCounters()
  async function usedBy (keys: number): Promise<number> {
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < keys; n++) {
      const header = randomBytes(8_000).toString('hex')
      await counters.take(header.slice(0, 32), 60_000)
      await counters.begin(newAttempt(`login:${header.slice(32, 64)}`), { max: 5, windowMs: 60_000, leaseMs: 60_000 })
    }
    collectGarbage()
    return process.memoryUsage().heapUsed - before
  }
  await usedBy(100)
  const bytes = await usedBy(1_000)
  t.ok(bytes < 4_000_000, `${bytes} bytes for 2,000 keys of 1,000 headers with 16,000 each`)
})

t.test('memory: keys with every kind of characters', async t => {
  const counters = createMemoryCounters()
  for (const key of ['', 'ada', 'grüße', '日本', '🔑', '\ud83d', '\udd11']) {
    await counters.take(key, 60_000)
    t.match(await counters.take(key, 60_000), { count: 2 }, JSON.stringify(key))
  }
})
