import fastifyRedis from '@fastify/redis'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Redis } from 'ioredis'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryCounters, type Counters } from '../src/counters.ts'
import { createFailoverCounters } from '../src/failover-counters.ts'
import { createRedisCounters } from '../src/redis-counters.ts'

declare module 'fastify' {
  interface FastifyInstance { cache: Cache }
}

interface Cache {
  counters: Counters
  ping (): Promise<void>
}

/** An answer later than this counts as none. Only the first request after a failure waits for it. */
const COMMAND_TIMEOUT = 200
const RETRY_EVERY = 500
/** A start does not wait longer than this for Redis. */
const BOOT_PATIENCE = 1_000

function connect (url: string): Redis {
  return new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: COMMAND_TIMEOUT * 5,
    commandTimeout: COMMAND_TIMEOUT,
    retryStrategy: () => RETRY_EVERY,
    reconnectOnError: error => error.message.startsWith('READONLY'),
  })
}

function createSharedCache (app: FastifyInstance, redis: Redis): Cache {
  const link = {
    usable: true,
    failed (err: unknown) {
      if (link.usable) app.log.warn({ err }, 'Redis does not answer: counting in memory')
      link.usable = false
    },
  }

  async function ping () {
    try {
      await redis.ping()
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

  return {
    ping,
    counters: createFailoverCounters(createRedisCounters(redis, app.config.REDIS_PREFIX), createMemoryCounters(), link),
  }
}

export default fp(async function (app) {
  const { REDIS_URL } = app.config
  if (!REDIS_URL) {
    app.decorate('cache', { counters: createMemoryCounters(), ping: async () => {} })
    return
  }

  const redis = connect(REDIS_URL)
  // @fastify/redis holds the boot until the client is ready, and a start must not depend on Redis.
  redis.status = 'ready'
  await app.register(fastifyRedis, { client: redis })
  redis.status = 'wait'
  app.decorate('cache', createSharedCache(app, redis))
  await Promise.race([redis.connect().catch(() => {}), sleep(BOOT_PATIENCE)])
}, { name: 'cache' })
