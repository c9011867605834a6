import { Redis } from 'ioredis'
import type { Parts } from './parts.ts'
import type { Proxy } from './tcp-proxy.ts'
import type { Service } from './service.ts'

/** What a row may touch. */
export interface Stage extends Parts {
  service: Service
  /** The road to provider A. */
  provider: Proxy
  /** Sets the clock of the service so many seconds ahead. */
  skewClock(seconds: number): void
}

export type Gets =
  | 'as always'
  | '503 with `Retry-After`'
  | '401, then a refresh'
  | 'to `/login?error=callback_failed`'
  | 'to `/login?error=provider_a_auth_failed`'
export type Health = 'healthy' | '`database: error`' | '`cache: error`'
/** What the client gets, and after how many seconds at the latest. */
export type Expectation = [gets: Gets, seconds: number]

export interface Row {
  fault: string
  /** Which instance plays it. */
  instance?: 'with a clock of its own' | 'with a full disk for its log'
  /** How the test brings it about. */
  strike(stage: Stage): unknown
  mend(stage: Stage): unknown
  /** Routes that ask neither PostgreSQL nor Redis. */
  access: Expectation
  /** Routes that need PostgreSQL. */
  records: Expectation
  /** A route that needs nothing but its limit. */
  limited: Expectation
  callback: Expectation
  health: Health
  /** What was promised meanwhile arrives when it has healed. */
  mailsWait?: boolean
  /** How it heals, and after how many seconds at the latest. */
  heals: [how: string, seconds: number]
}

const FINE = {
  access: ['as always', 1],
  records: ['as always', 2],
  limited: ['as always', 2],
  callback: ['as always', 2],
  health: 'healthy',
} satisfies Partial<Row>
const WITHOUT_RECORDS = {
  ...FINE,
  records: ['503 with `Retry-After`', 2],
  callback: ['to `/login?error=callback_failed`', 2],
  health: '`database: error`',
} satisfies Partial<Row>
const nothing = () => {}

/** As the owner of the server, which is not in the way of the fault. */
const asOwner =
  (...statements: string[]) =>
    async ({ database }: Stage) => {
      const client = await database.owner.connect()
      for (const statement of statements) await client.query(statement)
      client.release(true)
    }
const DISCONNECT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gatehouse'"

async function tellRedis (port: number, ...args: [string, ...string[]]) {
  const redis = new Redis({ port, host: '127.0.0.1' })
  await redis.call(...args)
  redis.disconnect()
}

export const FAULTS: Row[] = [
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL is down',
    strike: ({ database }) => database.kill(),
    mend: ({ database }) => database.restart(),
    heals: ['by itself', 2],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL hangs',
    strike: ({ database }) => database.freeze(),
    mend: ({ database }) => database.thaw(),
    records: ['503 with `Retry-After`', 7],
    callback: ['to `/login?error=callback_failed`', 7],
    heals: ['by itself', 2],
  },
  {
    ...FINE,
    fault: 'PostgreSQL is slow (each message takes 100 ms)',
    strike: ({ service }) => service.proxies.postgres.set({ kind: 'delay', ms: 100 }),
    mend: ({ service }) => service.proxies.postgres.clear(),
    records: ['as always', 7],
    callback: ['as always', 7],
    heals: ['by itself', 2],
  },
  {
    ...FINE,
    fault: 'PostgreSQL was killed and is back',
    async strike ({ database }) {
      await database.kill()
      await database.restart()
    },
    mend: nothing,
    heals: ['with the first request', 2],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL has no connection left',
    strike: asOwner('ALTER ROLE gatehouse CONNECTION LIMIT 0', DISCONNECT),
    mend: asOwner('ALTER ROLE gatehouse CONNECTION LIMIT -1'),
    heals: ['by itself', 2],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'PostgreSQL is read-only',
    strike: asOwner('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()'),
    mend: asOwner(
      'SET default_transaction_read_only = off',
      'ALTER SYSTEM RESET default_transaction_read_only',
      'SELECT pg_reload_conf()'
    ),
    heals: ['by itself', 2],
  },
  {
    ...FINE,
    fault: 'Redis is down',
    strike: ({ counters }) => counters.kill(),
    mend: ({ counters }) => counters.restart(),
    health: '`cache: error`',
    heals: ['by itself; each instance counts by itself until then', 2],
  },
  {
    ...FINE,
    fault: 'Redis hangs',
    strike: ({ counters }) => counters.freeze(),
    mend: ({ counters }) => counters.thaw(),
    records: ['as always', 3],
    limited: ['as always', 3],
    callback: ['as always', 3],
    health: '`cache: error`',
    heals: ['by itself; each instance counts by itself until then', 3],
  },
  {
    ...FINE,
    fault: 'Redis is slow (each message takes 100 ms)',
    strike: ({ service }) => service.proxies.redis.set({ kind: 'delay', ms: 100 }),
    mend: ({ service }) => service.proxies.redis.clear(),
    records: ['as always', 3],
    limited: ['as always', 3],
    callback: ['as always', 3],
    heals: ['by itself', 2],
  },
  {
    ...FINE,
    fault: 'Redis was killed and is back',
    async strike ({ counters }) {
      await counters.kill()
      await counters.restart()
    },
    mend: nothing,
    heals: ['by itself; what was counted is forgotten', 2],
  },
  {
    ...FINE,
    fault: 'Redis is full (`maxmemory` with `noeviction`)',
    strike: ({ counters }) => tellRedis(counters.port, 'CONFIG', 'SET', 'maxmemory', '1'),
    mend: ({ counters }) => tellRedis(counters.port, 'CONFIG', 'SET', 'maxmemory', '0'),
    health: '`cache: error`',
    heals: ['by itself; each instance counts by itself until then', 2],
  },
  {
    ...FINE,
    fault: 'The mail server is down',
    strike: ({ mail }) => mail.stop(),
    mend: ({ mail }) => mail.start(),
    mailsWait: true,
    heals: ['by itself: mails wait in PostgreSQL and are tried again for four hours', 10],
  },
  {
    ...FINE,
    fault: 'A provider is down',
    strike: ({ provider }) => provider.set({ kind: 'refuse' }),
    mend: ({ provider }) => provider.clear(),
    callback: ['to `/login?error=provider_a_auth_failed`', 2],
    heals: ['the person tries again', 2],
  },
  {
    ...FINE,
    fault: 'A provider hangs',
    strike: ({ provider }) => provider.set({ kind: 'stall' }),
    mend: ({ provider }) => provider.clear(),
    callback: ['to `/login?error=provider_a_auth_failed`', 6],
    heals: ['the person tries again', 2],
  },
  {
    ...FINE,
    fault: 'The clock of an instance jumps an hour ahead',
    instance: 'with a clock of its own',
    strike: ({ skewClock }) => skewClock(3_600),
    mend: ({ skewClock }) => skewClock(0),
    access: ['401, then a refresh', 1],
    heals: ['with a refresh: the access tokens have run out by that clock', 2],
  },
  {
    ...FINE,
    fault: 'The clock of an instance jumps an hour back',
    instance: 'with a clock of its own',
    strike: ({ skewClock }) => skewClock(-3_600),
    mend: ({ skewClock }) => skewClock(0),
    heals: ['nothing to heal', 2],
  },
  {
    ...FINE,
    fault: 'The disk of the log is full',
    instance: 'with a full disk for its log',
    strike: nothing,
    mend: nothing,
    heals: ['by itself: lines are dropped until there is room', 2],
  },
]
