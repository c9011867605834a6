import { promisify } from 'node:util'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from '../settings/redis-address.ts'

/**
 * Only requests that were in progress when Redis failed wait this long. A shorter timeout would be dangerous:
 * after a busy event loop, our own delay would look like one of Redis, and counting would start again in memory.
 */
const COMMAND_TIMEOUT = 1_000
/** A connection without data for this long while a response is due is closed: the other end may be gone. */
const SOCKET_TIMEOUT = 2_000
export const RETRY_EVERY = 500

/** A command never waits for a connection: it is answered, or fails at once. */
const FAIL_FAST = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: SOCKET_TIMEOUT,
  commandTimeout: COMMAND_TIMEOUT,
  socketTimeout: SOCKET_TIMEOUT,
  retryStrategy: () => RETRY_EVERY,
  reconnectOnError: error => error.message.startsWith('READONLY'),
} satisfies RedisOptions

export interface RedisClient {
  redis: Redis | Cluster
  /** Fails unless every key is reachable. */
  ping (): Promise<unknown>
}

export function createRedisClient ({ kind, nodes, tls, sentinelPassword, ...options }: RedisAddress): RedisClient {
  const secure = tls ? { tls: {} } : {}
  if (kind === 'cluster') return createCluster(nodes, { ...options, ...secure })
  const redis = kind === 'single'
    ? new Redis({ ...FAIL_FAST, ...options, ...secure, ...nodes[0] })
    : new Redis({
      ...FAIL_FAST,
      ...options,
      ...secure,
      sentinels: nodes,
      sentinelPassword,
      sentinelRetryStrategy: () => RETRY_EVERY,
      sentinelCommandTimeout: COMMAND_TIMEOUT,
      ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
    })
  return { redis, ping: () => redis.ping() }
}

function keepName (host: string, found: (error: null, address: string) => void) {
  found(null, host)
}

function createCluster (nodes: RedisAddress['nodes'], options: RedisOptions): RedisClient {
  const { enableOfflineQueue, lazyConnect, retryStrategy, ...failFast } = FAIL_FAST
  const cluster = new Cluster(nodes, {
    enableOfflineQueue,
    lazyConnect,
    clusterRetryStrategy: retryStrategy,
    // Follows a slot that moved, but does not wait for a lost node or a cluster that is down.
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: SOCKET_TIMEOUT,
    // Under TLS a node is known by its name, not by its address.
    ...(options.tls && { dnsLookup: keepName }),
    redisOptions: { ...failFast, ...options },
  })

  return {
    redis: cluster,
    async ping () {
      // The client forgets lost nodes until it reads the slots again, and a cluster that is down still answers PING.
      await promisify(cluster.refreshSlotsCache.bind(cluster))()
      const states = await Promise.all(cluster.nodes('master').map(master => master.cluster('INFO')))
      const isComplete = states.every(state => String(state).includes('cluster_state:ok'))
      if (!isComplete) throw new Error('the cluster does not serve every slot')
    },
  }
}
