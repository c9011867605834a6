import type { Cluster, Redis } from 'ioredis'
import type { AttemptState, Counters } from './counters.ts'

// Each script uses one key, so that any node of a cluster can run it.

const TAKE = `
  local count = redis.call('HINCRBY', KEYS[1], 'count', 1)
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { count, redis.call('PTTL', KEYS[1]) }`

// Both kinds of counters: `count` of a window, `failed` of attempts.
const PEEK = `
  local uses = redis.call('HMGET', KEYS[1], 'count', 'failed')
  return { uses[1] or uses[2], redis.call('PTTL', KEYS[1]) }`

// A hash: `failed` and `ends` of the window, and for each attempt under way its id with the end of its lease.
const NOW = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`

const BEGIN = `${NOW}
  local max, lease, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
  local failed, ends, running = 0, 0, 0
  local fields = redis.call('HGETALL', KEYS[1])
  for index = 1, #fields, 2 do
    local name, value = fields[index], tonumber(fields[index + 1])
    if name == 'failed' then failed = value
    elseif name == 'ends' then ends = value
    elseif value > now then running = running + 1
    else redis.call('HDEL', KEYS[1], name) end
  end
  if ends <= now then failed, ends = 0, now end
  if failed >= max then return { 'refused', failed, ends - now } end
  if failed + running >= max then return { 'busy', failed, ends - now } end
  redis.call('HSET', KEYS[1], id, now + lease)
  redis.call('PEXPIRE', KEYS[1], math.max(ends - now, lease))
  return { 'started', failed, ends - now }`

const FAIL = `${NOW}
  local window, lease, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
  redis.call('HDEL', KEYS[1], id)
  local ends = tonumber(redis.call('HGET', KEYS[1], 'ends') or '0')
  if ends <= now then
    ends = now + window
    redis.call('HSET', KEYS[1], 'failed', 0, 'ends', ends)
  end
  local failed = redis.call('HINCRBY', KEYS[1], 'failed', 1)
  redis.call('PEXPIRE', KEYS[1], math.max(ends - now, lease))
  return { failed, ends - now }`

interface Scripts {
  gatehouseTake (key: string, windowMs: number): Promise<[count: number, resetMs: number]>
  gatehousePeek (key: string): Promise<[uses: string | null, resetMs: number]>
  gatehouseBegin (key: string, max: number, leaseMs: number, id: string):
  Promise<[state: AttemptState['state'], failed: number, resetMs: number]>
  gatehouseFail (key: string, windowMs: number, leaseMs: number, id: string): Promise<[failed: number, resetMs: number]>
}

/** Keys of this Redis, also those of others, that a list looks at. */
const MAX_SCANNED = 50_000
const SCAN_PAGE = 1_000

type Found = Map<string, { count: number, resetMs: number } | undefined>

const counted = (found: Found) => [...found].flatMap(([key, use]) => use ? [{ key, ...use }] : [])

const escapeGlob = (text: string) => text.replace(/[*?[\]\\]/g, '\\$&')

export function createRedisCounters (redis: Redis | Cluster, prefix: string): Counters {
  redis.defineCommand('gatehouseTake', { numberOfKeys: 1, lua: TAKE })
  redis.defineCommand('gatehousePeek', { numberOfKeys: 1, lua: PEEK })
  redis.defineCommand('gatehouseBegin', { numberOfKeys: 1, lua: BEGIN })
  redis.defineCommand('gatehouseFail', { numberOfKeys: 1, lua: FAIL })
  const scripts = redis as unknown as Scripts

  async function peek (key: string) {
    const [uses, resetMs] = await scripts.gatehousePeek(prefix + key)
    return uses === null ? undefined : { count: Number(uses), resetMs }
  }

  return {
    peek,

    async list (isWanted) {
      const found: Found = new Map()
      const nodes = 'nodes' in redis ? redis.nodes('master') : [redis]
      let scanned = 0
      for (const node of nodes) {
        let cursor = '0'
        do {
          if (scanned >= MAX_SCANNED) return { counters: counted(found), isComplete: false }
          const [next, keys] = await node.scan(cursor, 'MATCH', `${escapeGlob(prefix)}*`, 'COUNT', SCAN_PAGE)
          const wanted = keys.map(key => key.slice(prefix.length)).filter(isWanted)
          await Promise.all(wanted.map(async key => found.set(key, await peek(key))))
          scanned += SCAN_PAGE
          cursor = next
        } while (cursor !== '0')
      }
      return { counters: counted(found), isComplete: true }
    },

    async take (key, windowMs) {
      const [count, resetMs] = await scripts.gatehouseTake(prefix + key, windowMs)
      return { count, resetMs }
    },

    async begin ({ key, id }, { max, leaseMs }) {
      const [state, failed, resetMs] = await scripts.gatehouseBegin(prefix + key, max, leaseMs, id)
      return { state, failed, resetMs }
    },

    async fail ({ key, id }, { windowMs, leaseMs }) {
      const [failed, resetMs] = await scripts.gatehouseFail(prefix + key, windowMs, leaseMs, id)
      return { failed, resetMs }
    },

    async release ({ key, id }) {
      await redis.hdel(prefix + key, id)
    },

    async clear (key) {
      return await redis.del(prefix + key) > 0
    },
  }
}
