import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { eventually } from '../patience.ts'
import type { Dependencies } from './dependencies.ts'
import type { Proxy } from './tcp-proxy.ts'
import type { Service } from './service.ts'

/** What a row may act on. */
export interface FaultTargets extends Dependencies {
  service: Service
  /** The proxy in front of provider A. */
  provider: Proxy
  /** Sets the clock of the service ahead by this many seconds. */
  skewClock(seconds: number): void
}

export type Outcome =
  | 'normal'
  | '503 with `Retry-After`'
  | '401, then a refresh'
  | 'access checks: 503 with `Retry-After`'
  | 'to `/login?error=callback_failed`'
  | 'to `/login?error=provider_a_auth_failed`'
export type Health = 'healthy' | '`database: error`' | '`cache: error`'
/** What the client gets, and within how many seconds. */
export type Expectation = [outcome: Outcome, seconds: number]

export interface Row<Targets = FaultTargets> {
  fault: string
  /** The instance that the row is tested on, if not the ordinary one. */
  instance?: 'with its own clock' | 'with a full log disk' | 'that refuses without revocations'
  /** Brings the fault about. */
  inject(targets: Targets): unknown
  repair(targets: Targets): unknown
  /** Routes that use neither PostgreSQL nor Redis. */
  access: Expectation
  /** Routes that need PostgreSQL. */
  records: Expectation
  /** A route that needs only its rate limit. */
  limited: Expectation
  callback: Expectation
  health: Health
  /** The reason that /health/ready gives, or undefined if it is ready. */
  ready?: string
  /** Mails that were promised during the fault are sent after it. */
  mailsWait?: boolean
  /** How the service recovers, and within how many seconds. */
  recovery: [how: string, seconds: number]
}

export const UNAFFECTED = {
  access: ['normal', 1],
  records: ['normal', 2],
  limited: ['normal', 2],
  callback: ['normal', 2],
  health: 'healthy',
} satisfies Partial<Row>
export const WITHOUT_RECORDS = {
  ...UNAFFECTED,
  records: ['503 with `Retry-After`', 2],
  callback: ['to `/login?error=callback_failed`', 2],
  health: '`database: error`',
  ready: 'PostgreSQL does not respond.',
} satisfies Partial<Row>
export const nothing = () => {}

/** Runs statements as the database owner, whom the fault does not affect. */
const asOwner =
  (...statements: string[]) =>
    async ({ database }: FaultTargets) => {
      const client = await database.owner.connect()
      for (const statement of statements) await client.query(statement)
      client.release(true)
    }
const DISCONNECT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gatehouse'"

/** A reload takes a moment. A new connection has the setting only after PostgreSQL has signalled all others. */
async function makeReadOnly (targets: FaultTargets) {
  await asOwner('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()')(targets)
  const readOnly = async () => {
    const client = await targets.database.owner.connect()
    const { rows: [{ value }] } = await client.query("SELECT current_setting('transaction_read_only') AS value")
    client.release(true)
    return value
  }
  await eventually(readOnly, value => value === 'on')
}

async function runOnRedis (port: number, ...args: [string, ...string[]]) {
  const redis = new Redis({ port, host: '127.0.0.1' })
  await redis.call(...args)
  redis.disconnect()
}

export const FAULTS: Row[] = [
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL is down',
    inject: ({ database }) => database.kill(),
    repair: ({ database }) => database.restart(),
    recovery: ['automatic', 2],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL is down for more than 5 s, with `REVOCATION_FEED_LOST=refuse`',
    instance: 'that refuses without revocations',
    async inject ({ database }) {
      await database.kill()
      await sleep(6_000)
    },
    repair: ({ database }) => database.restart(),
    access: ['access checks: 503 with `Retry-After`', 1],
    recovery: ['automatic', 2],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL hangs',
    inject: ({ database }) => database.freeze(),
    repair: ({ database }) => database.thaw(),
    records: ['503 with `Retry-After`', 7],
    callback: ['to `/login?error=callback_failed`', 7],
    recovery: ['automatic', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'PostgreSQL is slow (100 ms for each message)',
    inject: ({ service }) => service.proxies.postgres.set({ kind: 'delay', ms: 100 }),
    repair: ({ service }) => service.proxies.postgres.clear(),
    records: ['normal', 7],
    callback: ['normal', 7],
    recovery: ['automatic', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'PostgreSQL was killed and restarted',
    async inject ({ database }) {
      await database.kill()
      await database.restart()
    },
    repair: nothing,
    recovery: ['with the first request', 2],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL has no free connection',
    inject: asOwner('ALTER ROLE gatehouse CONNECTION LIMIT 0', DISCONNECT),
    repair: asOwner('ALTER ROLE gatehouse CONNECTION LIMIT -1'),
    recovery: ['automatic', 2],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL is read-only',
    health: 'healthy',
    ready: 'PostgreSQL is read-only.',
    inject: makeReadOnly,
    repair: asOwner(
      'SET default_transaction_read_only = off',
      'ALTER SYSTEM RESET default_transaction_read_only',
      'SELECT pg_reload_conf()'
    ),
    recovery: ['automatic', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'The connection on which revocations arrive (`LISTEN`) is cut',
    inject: asOwner(`${DISCONNECT} AND application_name = 'gatehouse revocations'`),
    repair: nothing,
    recovery: ['automatic: a new connection begins with a replay', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'An instance is suspended for a minute',
    async inject ({ service }) {
      service.freeze()
      await sleep(60_000)
      service.thaw()
    },
    repair: nothing,
    recovery: ['automatic: access checks wait until the instance knows which sessions ended meanwhile', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'Redis is down',
    inject: ({ counters }) => counters.kill(),
    repair: ({ counters }) => counters.restart(),
    health: '`cache: error`',
    recovery: ['automatic; until then each instance counts for itself', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'Redis hangs',
    inject: ({ counters }) => counters.freeze(),
    repair: ({ counters }) => counters.thaw(),
    records: ['normal', 3],
    limited: ['normal', 3],
    callback: ['normal', 3],
    health: '`cache: error`',
    recovery: ['automatic; until then each instance counts for itself', 3],
  },
  {
    ...UNAFFECTED,
    fault: 'Redis is slow (100 ms for each message)',
    inject: ({ service }) => service.proxies.redis.set({ kind: 'delay', ms: 100 }),
    repair: ({ service }) => service.proxies.redis.clear(),
    records: ['normal', 3],
    limited: ['normal', 3],
    callback: ['normal', 3],
    recovery: ['automatic', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'Redis was killed and restarted',
    async inject ({ counters }) {
      await counters.kill()
      await counters.restart()
    },
    repair: nothing,
    recovery: ['automatic; the counters are lost', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'Redis is full (`maxmemory` with `noeviction`)',
    inject: ({ counters }) => runOnRedis(counters.port, 'CONFIG', 'SET', 'maxmemory', '1'),
    repair: ({ counters }) => runOnRedis(counters.port, 'CONFIG', 'SET', 'maxmemory', '0'),
    health: '`cache: error`',
    recovery: ['automatic; until then each instance counts for itself', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'The mail server is down',
    inject: ({ mail }) => mail.stop(),
    repair: ({ mail }) => mail.start(),
    mailsWait: true,
    recovery: ['automatic: mails wait in PostgreSQL and are retried for four hours', 10],
  },
  {
    ...UNAFFECTED,
    fault: 'A provider is down',
    inject: ({ provider }) => provider.set({ kind: 'refuse' }),
    repair: ({ provider }) => provider.clear(),
    callback: ['to `/login?error=provider_a_auth_failed`', 2],
    recovery: ['the user tries again', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'A provider hangs',
    inject: ({ provider }) => provider.set({ kind: 'stall' }),
    repair: ({ provider }) => provider.clear(),
    callback: ['to `/login?error=provider_a_auth_failed`', 6],
    recovery: ['the user tries again', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'The clock of an instance jumps ahead an hour',
    instance: 'with its own clock',
    inject: ({ skewClock }) => skewClock(3_600),
    repair: ({ skewClock }) => skewClock(0),
    access: ['401, then a refresh', 1],
    recovery: ['with a refresh: by that clock the access tokens have expired', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'The clock of an instance jumps back an hour',
    instance: 'with its own clock',
    inject: ({ skewClock }) => skewClock(-3_600),
    repair: ({ skewClock }) => skewClock(0),
    recovery: ['not needed', 2],
  },
  {
    ...UNAFFECTED,
    fault: 'The log disk is full',
    instance: 'with a full log disk',
    inject: nothing,
    repair: nothing,
    recovery: ['automatic: log lines are dropped until there is space', 2],
  },
]
