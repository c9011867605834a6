import type { FastifyInstance } from 'fastify'
import type { Redis } from 'ioredis'

/** Ends the window of a counter in Redis after this time, instead of the time that the limit has. */
export async function endWindow ({ config, redis }: FastifyInstance, key: string, ms: number) {
  const name = config.REDIS_PREFIX + key
  const [seconds, microseconds] = await redis.time()
  // Failed attempts have the end of their window in a field, other counters expire with it.
  if (await redis.hexists(name, 'ends')) {
    await redis.hset(name, 'ends', Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000) + ms)
  } else {
    await redis.pexpire(name, ms)
  }
}

/** As if this time had passed for a counter in Redis: for its window, and for the attempts under way. */
export async function passTime (redis: Redis, name: string, ms: number) {
  for (const field of await redis.hkeys(name)) {
    if (field !== 'count' && field !== 'failed') await redis.hincrby(name, field, -ms)
  }
  await redis.pexpire(name, await redis.pttl(name) - ms)
}
