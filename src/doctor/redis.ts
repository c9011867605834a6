import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { parseRedisAddress } from '../settings/redis-address.ts'
import { createRedisCounters } from '../counters/redis-counters.ts'
import { withRedis } from '../counters/with-redis.ts'
import { checkClock } from './clock.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, warning, problem } = findingsFor('redis')

export async function checkRedis ({ REDIS_URL, REDIS_PREFIX }: Config): Promise<Finding[]> {
  const address = parseRedisAddress(REDIS_URL)
  if (!address) {
    return [warning(
      'REDIS_URL is not set: each instance counts attempts in its own memory.',
      'Set REDIS_URL if you run more than one instance.'
    )]
  }
  try {
    return await withRedis(address, async ({ redis }) => {
      const start = performance.now()
      // Runs the same script as the service: a Redis user may lack the permission for scripts.
      await createRedisCounters(redis, REDIS_PREFIX).take(`doctor:${randomUUID()}`, 1_000)
      const counted = ok(`A counter was incremented in ${Math.ceil(performance.now() - start)} ms.`)
      const policy = (await redis.info('memory').catch(() => '')).match(/maxmemory_policy:(\S+)/)?.[1] ?? ''
      return [
        policy.startsWith('allkeys')
          ? warning(
            `Redis evicts counters when its memory is full (${policy}).`,
            'Set maxmemory-policy to noeviction, or use a separate Redis.'
          )
          : counted,
        await checkClock('Redis', async () => {
          const [seconds, micros] = (await redis.time()).map(Number) as [number, number]
          return seconds * 1_000 + micros / 1_000
        }),
      ]
    })
  } catch (error) {
    return [problem(
      `Cannot count in Redis: ${reasonOf(error)}.`,
      'Start Redis or correct REDIS_URL. Until then each instance counts attempts in its own memory.'
    )]
  }
}
