import { isIP } from 'node:net'
import { clientGroup, plainAddress } from '../http/client-address.ts'
import { loadConfig, type Config } from '../config.ts'
import { limitKeys } from '../limits/keys.ts'
import { parseRedisAddress } from '../redis/address.ts'
import { createRedisCounters } from '../counters/redis-counters.ts'
import { withRedis } from '../redis/with-redis.ts'
import { chooseAction, Refusal, takeNames, UsageError, type Arguments, type Command, type Outcome } from './command.ts'

const HELP = `Usage: gatehouse limits show|clear ADDRESS [--json]
       gatehouse limits show|clear --account LOGIN [--json]

  show    what was counted, of how many, and for how long still
  clear   forgets it

ADDRESS is a client as the log has it; of IPv6 the whole /64 counts as one. LOGIN is a username or
an email as people type it. The counters are in Redis: without REDIS_URL each instance has its own
in memory, which no command can see and a restart clears.

Examples
  gatehouse limits show 203.0.113.7
  gatehouse limits clear 203.0.113.7
  gatehouse limits clear --account ada
`

interface Limit { name: string, key: string, max: number }

/** Whom it is about, and what counts them. */
function limitsOf (config: Config, { positionals, values }: Arguments): { who: string, limits: Limit[] } {
  const { account } = values as { account?: string }
  if (account !== undefined) {
    takeNames(positionals)
    return { who: account, limits: [{ name: 'account', key: limitKeys.account(account), max: config.LIMIT_ACCOUNT_MAX }] }
  }
  const [address] = takeNames(positionals, 'ADDRESS')
  if (!isIP(plainAddress(address)) || plainAddress(address) === '::') throw new UsageError('ADDRESS must be an IPv4 or IPv6 address.')
  const who = clientGroup(address)
  return {
    who,
    limits: [
      { name: 'login', key: limitKeys.login(address), max: config.LIMIT_LOGIN_MAX },
      { name: 'sensitive', key: limitKeys.sensitive(address), max: config.LIMIT_SENSITIVE_MAX },
      { name: 'general', key: limitKeys.general(who), max: config.LIMIT_GENERAL_MAX },
    ],
  }
}

async function withCounters (config: Config, work: (counters: ReturnType<typeof createRedisCounters>) => Promise<Outcome>): Promise<Outcome> {
  const address = parseRedisAddress(config.REDIS_URL)
  if (!address) throw new Refusal('There is nothing to see: without REDIS_URL each instance counts in its own memory. A restart clears that.')
  return withRedis(address, ({ redis }) => work(createRedisCounters(redis, config.REDIS_PREFIX)))
}

async function show (args: Arguments): Promise<Outcome> {
  const config = loadConfig()
  const { who, limits } = limitsOf(config, args)
  return withCounters(config, async counters => {
    const found = await Promise.all(limits.map(async ({ name, key, max }) => {
      const { count = 0, resetMs = 0 } = await counters.peek(key) ?? {}
      return { limit: name, count, max, reached: count >= max, resetSeconds: Math.ceil(resetMs / 1_000) }
    }))
    const lines = found.map(({ limit, count, max, reached, resetSeconds }) =>
      `${limit.padEnd(10)}${count} of ${max}${count > 0 ? `, for ${resetSeconds} s more` : ''}${reached ? ': refused until then' : ''}`)
    return { data: { who, limits: found }, text: [who, ...lines].join('\n') }
  })
}

async function clear (args: Arguments): Promise<Outcome> {
  const config = loadConfig()
  const { who, limits } = limitsOf(config, args)
  return withCounters(config, async counters => {
    const cleared = (await Promise.all(limits.map(async ({ name, key }) => await counters.clear(key) ? [name] : []))).flat()
    return { data: { who, cleared }, text: cleared.length > 0 ? `Cleared for ${who}: ${cleared.join(', ')}.` : `Nothing was counted for ${who}.` }
  })
}

const command: Command = {
  help: HELP,
  options: { account: { type: 'string' } },
  run: chooseAction({ show, clear }),
}

export default command
