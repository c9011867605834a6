import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from './address.ts'

/**
 * An answer later than this counts as none. Only requests that were under way when Redis failed wait for it.
 * Not less: an event loop that was busy for so long would take its own delay for that of Redis, and count anew.
 */
const COMMAND_TIMEOUT = 1_000
/** A connection that stays silent for so long while an answer is due is given up: its other end may be gone without a word. */
const SOCKET_TIMEOUT = 2_000
export const RETRY_EVERY = 500

/** Nobody waits for a Redis that is not there: a command is answered, or fails at once. */
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
  /** Fails unless every key can be reached. */
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

function createCluster (nodes: RedisAddress['nodes'], options: RedisOptions): RedisClient {
  const { enableOfflineQueue, lazyConnect, retryStrategy, ...failFast } = FAIL_FAST
  const cluster = new Cluster(nodes, {
    enableOfflineQueue,
    lazyConnect,
    clusterRetryStrategy: retryStrategy,
    // A slot may have moved; a node that is gone, or a cluster that is down, is not waited for.
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: SOCKET_TIMEOUT,
    // Under TLS a node answers to its name, not to its address.
    ...(options.tls && { dnsLookup: (host: string, found: (error: null, address: string) => void) => found(null, host) }),
    redisOptions: { ...failFast, ...options },
  })

  return {
    redis: cluster,
    async ping () {
      // Lost nodes are forgotten until the slots are read again, and a cluster that is down still answers PING.
      await new Promise<void>((resolve, reject) => cluster.refreshSlotsCache(error => error ? reject(error) : resolve()))
      const states = await Promise.all(cluster.nodes('master').map(master => master.cluster('INFO')))
      if (!states.every(state => String(state).includes('cluster_state:ok'))) throw new Error('the cluster does not serve every slot')
    },
  }
}
