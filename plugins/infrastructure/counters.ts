import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Counters } from '../../src/counters/counters.ts'
import { createFailoverCounters } from '../../src/counters/failover-counters.ts'
import { createMemoryCounters } from '../../src/counters/memory-counters.ts'
import { parseRedisAddress } from '../../src/settings/redis-address.ts'
import type { RedisClient } from '../../src/counters/redis-client.ts'
import { createRedisCounters } from '../../src/counters/redis-counters.ts'

declare module 'fastify' {
  interface FastifyInstance { counters: PingableCounters }
}

interface PingableCounters extends Counters {
  /** Fails unless the store can count. */
  ping (): Promise<void>
}

/** The start waits for Redis at most this long. */
const BOOT_TIMEOUT = 1_000

function createSharedCounters (
  app: FastifyInstance,
  { redis, ping: pingRedis }: RedisClient,
  retryEvery: number
): PingableCounters {
  const shared = createRedisCounters(redis, app.config.REDIS_PREFIX)
  const link = {
    usable: true,
    failed (err: unknown) {
      if (link.usable) app.log.warn({ err }, 'Redis does not respond: counting in memory')
      link.usable = false
    },
  }

  async function ping () {
    try {
      await pingRedis()
      // A Redis that is full, or a replica, responds but cannot count.
      await shared.take('ping', 1_000)
      if (!link.usable) app.log.info('Redis responds again: counting there')
      link.usable = true
    } catch (error) {
      link.failed(error)
      throw error
    }
  }

  const probe = setInterval(() => link.usable || ping().catch(() => {}), retryEvery).unref()
  redis.on('error', link.failed)
  redis.on('ready', () => ping().catch(() => {}))
  app.addHook('onClose', async () => {
    clearInterval(probe)
    redis.disconnect()
  })

  app.metrics.gauge(
    'gatehouse_redis_up',
    'Whether Redis counts; while it does not, this instance counts in memory',
    () => Number(link.usable)
  )

  return { ping, ...createFailoverCounters(shared, createMemoryCounters(), link) }
}

async function connectCounters (app: FastifyInstance) {
  const address = parseRedisAddress(app.config.REDIS_URL)
  if (!address) {
    app.decorate('counters', { ...createMemoryCounters(), ping: async () => {} })
    return
  }

  // Loaded only where they are used: they take a tenth of the start.
  const { default: fastifyRedis } = await import('@fastify/redis')
  const { createRedisClient, RETRY_EVERY } = await import('../../src/counters/redis-client.ts')
  const client = createRedisClient(address)
  const { redis } = client
  app.decorate('counters', createSharedCounters(app, client, RETRY_EVERY))
  await Promise.race([redis.connect().then(app.counters.ping).catch(() => {}), sleep(BOOT_TIMEOUT)])
  // The start must not depend on Redis: with a client that is not ready, @fastify/redis would delay it, or fail it.
  if (redis.status === 'ready') await app.register(fastifyRedis, { client: redis })
}

// A function of its own: in an `export default`, tsc leaves the paths of dynamic imports as they are.
export default fp(connectCounters, { name: 'counters', dependencies: ['metrics'] })
