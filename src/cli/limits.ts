import { clientGroup, isAddress } from '../edge/client-address.ts'
import { loadConfig, type Config } from '../config.ts'
import {
  limitsOfAddress, limitsOfLogin, listLimits, readLimits, type LimitCounter, type ListedLimit,
} from '../limits/in-force.ts'
import { LIMITS } from '../limits/registry.ts'
import { parseRedisAddress } from '../settings/redis-address.ts'
import { createRedisCounters } from '../counters/redis-counters.ts'
import { withRedis } from '../counters/with-redis.ts'
import { COMMAND_LINE } from '../operators/actors.ts'
import {
  CommandError, requireArguments, subcommands, UsageError, type Arguments, type Command, type Outcome,
} from './command.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse limits show|clear ADDRESS [--json]
       gatehouse limits show|clear --account LOGIN [--json]
       gatehouse limits list [--json]

  show    prints the count, the limit and the time until the counter is reset
  clear   deletes the counters, and records it as an event
  list    prints all counters of limits, the fullest first, at most 200. Of a login name, which is not
          stored, it prints the beginning of the hash

ADDRESS is a client address as in the log. For IPv6 the whole /64 counts as one client. LOGIN is a
username or an email as users type it. The counters are in Redis. Without REDIS_URL each instance
has its own in memory, which no command can read and a restart clears. Wrong codes of the second
factor are counted for the account, which is looked up in PostgreSQL.

Examples
  gatehouse limits show 203.0.113.7
  gatehouse limits clear 203.0.113.7
  gatehouse limits clear --account ada
`

const WIDTH = Math.max(...Object.values(LIMITS).map(({ name }) => name.length)) + 2

/** Wrong codes count for the account, which is looked up. */
async function limitsOfAccount (login: string): Promise<LimitCounter[]> {
  const user = await withService(({ users }) => users.findByLogin(login))
  return limitsOfLogin(login, user?.id)
}

function line ({ limit, count, max, reached, resetSeconds }: ListedLimit): string {
  const reset = count > 0 ? `, reset in ${resetSeconds} s` : ''
  return `${limit.padEnd(WIDTH)}${count} of ${max}${reset}${reached ? ', limit reached' : ''}`
}

interface Subject { who: string, limits: LimitCounter[] }

/** The client or account, and its counters. */
async function limitsOf ({ positionals, values }: Arguments): Promise<Subject> {
  const { account } = values as { account?: string }
  if (account !== undefined) {
    requireArguments(positionals)
    return { who: account, limits: await limitsOfAccount(account) }
  }
  const [address] = requireArguments(positionals, 'ADDRESS')
  if (!isAddress(address)) throw new UsageError('ADDRESS must be an IPv4 or IPv6 address.')
  return { who: clientGroup(address), limits: limitsOfAddress(address) }
}

type RedisCounters = ReturnType<typeof createRedisCounters>

async function withRedisCounters (config: Config, work: (counters: RedisCounters) => Promise<Outcome>) {
  const address = parseRedisAddress(config.REDIS_URL)
  if (!address) {
    throw new CommandError('REDIS_URL is not set: each instance counts in its own memory, which a restart clears.')
  }
  return withRedis(address, ({ redis }) => work(createRedisCounters(redis, config.REDIS_PREFIX)))
}

/** Runs `work` on the counters that the arguments name. */
async function withCounters (
  args: Arguments,
  work: (counters: RedisCounters, subject: Subject, config: Config) => Promise<Outcome>
): Promise<Outcome> {
  const config = loadConfig()
  const subject = await limitsOf(args)
  return withRedisCounters(config, counters => work(counters, subject, config))
}

async function list ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const config = loadConfig()
  return withRedisCounters(config, async counters => {
    const found = await listLimits(counters, config)
    const lines = found.limits.map(each => `${each.subject.padEnd(8)}${each.who}  ${line(each)}`)
    const more = found.isComplete ? [] : ['There may be more.']
    return { data: found, text: [...lines, ...more].join('\n') || 'There are no counters.' }
  })
}

async function show (args: Arguments): Promise<Outcome> {
  return withCounters(args, async (counters, { who, limits }, config) => {
    const found = await readLimits(counters, config, limits)
    return { data: { who, limits: found }, text: [who, ...found.map(line)].join('\n') }
  })
}

/** By the code of the operator API, which records who did it. */
async function clear (args: Arguments): Promise<Outcome> {
  return withCounters(args, async (counters, { who }) => {
    const subject = args.values.account === undefined ? { address: args.positionals[0] } : { account: who }
    const cleared = await withService(app => app.limitsInForce.clear(subject, COMMAND_LINE, counters))
    const text = cleared.length > 0 ? `Cleared for ${who}: ${cleared.join(', ')}.` : `There are no counters for ${who}.`
    return { data: { who, cleared }, text }
  })
}

const command: Command = {
  help: HELP,
  options: { account: { type: 'string' } },
  run: subcommands({ show, clear, list }),
}

export default command
