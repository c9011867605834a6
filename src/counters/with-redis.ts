import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisAddress } from '../settings/redis-address.ts'
import { createRedisClient, type RedisClient } from './redis-client.ts'

/** For commands of operators: a busy machine is slow, which is no outage. */
const CONNECT_TIMEOUT = 10_000

export class RedisUnreachable extends Error {}

/** Throws RedisUnreachable if Redis is down, where the service would fall back to counters in memory. */
export async function withRedis<T> (address: RedisAddress, work: (client: RedisClient) => Promise<T>): Promise<T> {
  const client = createRedisClient(address)
  let reason: unknown
  client.redis.on('error', error => { reason = error })
  try {
    await Promise.race([client.redis.connect().then(client.ping), timeout()]).catch(error => {
      throw new RedisUnreachable('Cannot connect to Redis', { cause: reason ?? error })
    })
    return await work(client)
  } finally {
    client.redis.disconnect()
  }
}

async function timeout (): Promise<never> {
  await sleep(CONNECT_TIMEOUT, undefined, { ref: false })
  throw new Error(`no response within ${CONNECT_TIMEOUT / 1_000} s`)
}
