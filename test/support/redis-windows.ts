import type { FastifyInstance } from 'fastify'

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
