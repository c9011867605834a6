import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisAddress } from './address.ts'
import { createRedisClient, type RedisClient } from './client.ts'

const CONNECT_TIMEOUT = 3_000

export class RedisAway extends Error {}

/** Asked directly: where the service would count in memory instead, we want to know that Redis is away. */
export async function withRedis<T> (address: RedisAddress, work: (client: RedisClient) => Promise<T>): Promise<T> {
  const client = createRedisClient(address)
  let reason: unknown
  client.redis.on('error', error => { reason = error })
  try {
    await Promise.race([client.redis.connect().then(client.ping), tooLate()]).catch(error => {
      throw new RedisAway('Redis does not let us in', { cause: reason ?? error })
    })
    return await work(client)
  } finally {
    client.redis.disconnect()
  }
}

async function tooLate (): Promise<never> {
  await sleep(CONNECT_TIMEOUT, undefined, { ref: false })
  throw new Error(`no answer within ${CONNECT_TIMEOUT / 1_000} s`)
}
