import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import t from 'tap'
import { newAttempt } from '../../../src/counters/counters.ts'
import { createFailoverCounters } from '../../../src/counters/failover-counters.ts'
import { createMemoryCounters } from '../../../src/counters/memory-counters.ts'
import { createRedisCounters } from '../../../src/counters/redis-counters.ts'
import { redisUrl, withoutRedis } from '../../support/build.ts'

const LIMIT = { max: 2, windowMs: 60_000, leaseMs: 60_000 }

t.test('attempts that begin without Redis and fail with it count in both', { skip: withoutRedis }, async t => {
  const redis = new Redis(await redisUrl(t))
  t.teardown(() => redis.disconnect())
  const link = { usable: false, failed () { link.usable = false } }
  const counters = createFailoverCounters(createRedisCounters(redis, randomUUID()), createMemoryCounters(), link)
  const attempts = [newAttempt('a'), newAttempt('a')]
  for (const attempt of attempts) t.match(await counters.begin(attempt, LIMIT), { state: 'started' })
  link.usable = true
  for (const attempt of attempts) await counters.fail(attempt, LIMIT)
  t.match(await counters.begin(newAttempt('a'), LIMIT), { state: 'refused', failed: 2 }, 'by Redis')
  link.usable = false
  t.match(await counters.begin(newAttempt('a'), LIMIT), { state: 'refused', failed: 2 }, 'by the memory')

  t.equal(await counters.clear('a'), true)
  t.match(await counters.begin(newAttempt('a'), LIMIT), { state: 'started', failed: 0 })
})
