import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { createMemoryCounters, type Counters } from '../../../src/counters/counters.ts'
import { createRedisCounters } from '../../../src/counters/redis-counters.ts'
import { redisUrl, withoutRedis } from '../../support/build.ts'

/** Both implementations pass the same tests. */
function promises (name: string, options: { skip?: string | false }, create: (t: Test) => Promise<Counters>) {
  t.test(`${name}: counts in a window, starts again after it`, options, async t => {
    const counters = await create(t)
    t.match(await counters.take('a', 150), { count: 1 })
    const second = await counters.take('a', 150)
    t.equal(second.count, 2)
    t.ok(second.resetMs > 0 && second.resetMs <= 150)
    t.match(await counters.take('b', 150), { count: 1 }, 'another key')
    await sleep(200)
    t.match(await counters.take('a', 150), { count: 1 })
  })

  t.test(`${name}: a use that is given back does not count`, options, async t => {
    const counters = await create(t)
    await counters.take('a', 5_000)
    await counters.giveBack(await counters.take('a', 5_000))
    t.match(await counters.take('a', 5_000), { count: 2 })
  })

  t.test(`${name}: a use of an earlier window is not given back to a later window`, options, async t => {
    const counters = await create(t)
    const old = await counters.take('a', 50)
    await sleep(100)
    await counters.take('a', 5_000)
    await counters.giveBack(old)
    t.match(await counters.take('a', 5_000), { count: 2 })
  })

  t.test(`${name}: two hundred at once get two hundred different counts`, options, async t => {
    const counters = await create(t)
    const taken = await Promise.all(Array.from({ length: 200 }, () => counters.take('a', 5_000)))
    t.equal(new Set(taken.map(each => each.count)).size, 200)
  })
}

promises('memory', {}, async () => createMemoryCounters())

promises('Redis', { skip: withoutRedis }, async t => {
  const redis = new Redis(await redisUrl(t))
  t.teardown(() => redis.disconnect())
  return createRedisCounters(redis, `test:${t.name}:${process.pid}:`)
})

t.test('Redis: every key expires', { skip: withoutRedis }, async t => {
  const redis = new Redis(await redisUrl(t))
  t.teardown(() => redis.disconnect())
  const prefix = `test:expiry:${process.pid}:`
  const counters = createRedisCounters(redis, prefix)
  const taken = await counters.take('a', 60_000)
  await counters.giveBack(taken)
  await counters.giveBack(taken)
  const left = await redis.pttl(`${prefix}a`)
  t.ok(left > 0 && left <= 60_000)
  await counters.giveBack({ ...taken, key: 'never-taken' })
  t.equal(await redis.exists(`${prefix}never-taken`), 0)
})

t.test('memory: the number of keys is bounded', async t => {
  const counters = createMemoryCounters()
  await counters.take('oldest', 60_000)
  for (let key = 0; key < 100_001; key++) await counters.take(`flood-${key}`, 60_000)
  t.match(await counters.take('oldest', 60_000), { count: 1 }, 'the oldest was removed')
  t.match(await counters.take('flood-100000', 60_000), { count: 2 }, 'the newest are still counted')
})
