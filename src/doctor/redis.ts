import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { parseRedisAddress } from '../redis/address.ts'
import { createRedisCounters } from '../counters/redis-counters.ts'
import { withRedis } from '../redis/with-redis.ts'
import { checkClock } from './clock.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning, problem } = about('redis')

export async function checkRedis ({ REDIS_URL, REDIS_PREFIX }: Config): Promise<Finding[]> {
  const address = parseRedisAddress(REDIS_URL)
  if (!address) return [warning('not set: each instance counts attempts in its own memory.', 'Set REDIS_URL as soon as there are two instances.')]
  try {
    return await withRedis(address, async ({ redis }) => {
      const start = performance.now()
      // Counted for real, by the same script: a user of Redis may lack the right to run it.
      await createRedisCounters(redis, REDIS_PREFIX).take(`doctor:${randomUUID()}`, 1_000)
      const answered = ok(`Redis counts within ${Math.ceil(performance.now() - start)} ms.`)
      const policy = (await redis.info('memory').catch(() => '')).match(/maxmemory_policy:(\S+)/)?.[1] ?? ''
      return [
        policy.startsWith('allkeys') ? warning(`Redis forgets counters when it is full (${policy}).`, 'Give it maxmemory-policy noeviction, or a database of its own.') : answered,
        await checkClock('Redis', async () => {
          const [seconds, micros] = (await redis.time()).map(Number) as [number, number]
          return seconds * 1_000 + micros / 1_000
        }),
      ]
    })
  } catch (error) {
    return [problem(`Redis does not count for us: ${reasonOf(error)}.`, 'Start it, or correct REDIS_URL. Until then each instance counts attempts for itself.')]
  }
}
