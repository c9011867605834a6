import fastifyRedis from '@fastify/redis'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Counters } from '../../src/counters/counters.ts'
import { createFailoverCounters } from '../../src/counters/failover-counters.ts'
import { createMemoryCounters } from '../../src/counters/memory-counters.ts'
import { parseRedisAddress } from '../../src/redis/address.ts'
import { createRedisClient, RETRY_EVERY, type RedisClient } from '../../src/redis/client.ts'
import { createRedisCounters } from '../../src/counters/redis-counters.ts'

declare module 'fastify' {
  interface FastifyInstance { counters: PingableCounters }
}

interface PingableCounters extends Counters {
  /** Fails unless the counters count. */
  ping (): Promise<void>
}

/** A start does not wait longer than this for Redis. */
const BOOT_TIMEOUT = 1_000

function createSharedCounters (app: FastifyInstance, { redis, ping: ask }: RedisClient): PingableCounters {
  const shared = createRedisCounters(redis, app.config.REDIS_PREFIX)
  const link = {
    usable: true,
    failed (err: unknown) {
      if (link.usable) app.log.warn({ err }, 'Redis does not answer: counting in memory')
      link.usable = false
    },
  }

  async function ping () {
    try {
      await ask()
      // A Redis that is full, or a replica, answers but does not count.
      await shared.take('ping', 1_000)
      if (!link.usable) app.log.info('Redis answers again: counting there')
      link.usable = true
    } catch (error) {
      link.failed(error)
      throw error
    }
  }

  const probe = setInterval(() => link.usable || ping().catch(() => {}), RETRY_EVERY).unref()
  redis.on('error', link.failed)
  redis.on('ready', () => ping().catch(() => {}))
  app.addHook('onClose', async () => {
    clearInterval(probe)
    redis.disconnect()
  })

  app.metrics.gauge('gatehouse_redis_up', 'Whether Redis counts; while it does not, this instance counts in memory', () => Number(link.usable))

  return { ping, ...createFailoverCounters(shared, createMemoryCounters(), link) }
}

export default fp(async function (app) {
  const address = parseRedisAddress(app.config.REDIS_URL)
  if (!address) {
    app.decorate('counters', { ...createMemoryCounters(), ping: async () => {} })
    return
  }

  const client = createRedisClient(address)
  const { redis } = client
  // @fastify/redis holds the boot until the client is ready, and a start must not depend on Redis.
  redis.status = 'ready'
  await app.register(fastifyRedis, { client: redis })
  redis.status = 'wait'
  app.decorate('counters', createSharedCounters(app, client))
  await Promise.race([redis.connect().then(app.counters.ping).catch(() => {}), sleep(BOOT_TIMEOUT)])
}, { name: 'counters', dependencies: ['metrics'] })
