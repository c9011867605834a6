import { randomUUID } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'
import type { Counters } from './counters.ts'

// Each script uses one key, so that it works in a cluster.
const TAKE = `
  local count = redis.call('HINCRBY', KEYS[1], 'count', 1)
  if count == 1 and redis.call('HSETNX', KEYS[1], 'window', ARGV[2]) == 1 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
  return { count, redis.call('PTTL', KEYS[1]), redis.call('HGET', KEYS[1], 'window') }`

const GIVE_BACK = `
  if redis.call('HGET', KEYS[1], 'window') == ARGV[1] and tonumber(redis.call('HGET', KEYS[1], 'count')) > 0 then
    redis.call('HINCRBY', KEYS[1], 'count', -1)
  end`

type TakeReply = [count: number, resetMs: number, window: string]

interface Scripts {
  gatehouseTake (key: string, windowMs: number, window: string): Promise<TakeReply>
  gatehouseGiveBack (key: string, window: string): Promise<void>
}

/** Counters that other processes, such as the command line, can read and clear. */
interface SharedCounters extends Counters {
  peek (key: string): Promise<{ count: number, resetMs: number } | undefined>
  clear (key: string): Promise<boolean>
}

export function createRedisCounters (redis: Redis | Cluster, prefix: string): SharedCounters {
  redis.defineCommand('gatehouseTake', { numberOfKeys: 1, lua: TAKE })
  redis.defineCommand('gatehouseGiveBack', { numberOfKeys: 1, lua: GIVE_BACK })
  const scripts = redis as unknown as Scripts

  return {
    async take (key, windowMs) {
      const [count, resetMs, window] = await scripts.gatehouseTake(prefix + key, windowMs, randomUUID())
      return { key, count, resetMs, window }
    },

    async giveBack ({ key, window }) {
      await scripts.gatehouseGiveBack(prefix + key, window)
    },

    async peek (key) {
      const [count, resetMs] = await Promise.all([redis.hget(prefix + key, 'count'), redis.pttl(prefix + key)])
      return count === null ? undefined : { count: Number(count), resetMs }
    },

    async clear (key) {
      return await redis.del(prefix + key) > 0
    },
  }
}
