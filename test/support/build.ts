import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import root, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { isInstalled } from '../../demo/programs.ts'
import { eventually, inTime, WAIT_LIMIT } from './patience.ts'
import { readServers } from './servers/servers.ts'
import { JWT_SECRET, onProcessEnd, shared } from './shared.ts'
import { OWNER_PASSWORD, SERVICE_PASSWORD, startTestPostgres, startTestRedis, TEMPLATE } from './stack.ts'

export { JWT_SECRET, pg, SERVICE_PASSWORD, TEMPLATE }

export type Ending = Pick<Test, 'teardown'>
const untilEndOf = (t: Ending) => ({
  onEnd: (end: () => unknown) => {
    t.teardown(end)
  },
})

/** Why tests that need Redis are skipped, or false. In CI a skipped test counts as failed. */
export const withoutRedis = isInstalled('redis-server')
  ? false
  : 'NO redis-server ON THIS MACHINE: TESTS THAT NEED REDIS DID NOT RUN'

export const startRedis = (t: Ending, port?: number) => startTestRedis(untilEndOf(t), port)

const servers = readServers()

/** The Redis of this run, or a new one when `node` runs a test file alone. Keys have a unique prefix. */
export async function redisUrl (t: Ending): Promise<string> {
  return process.env.REDIS_URL ?? servers?.redis ?? (await startRedis(t)).url
}
export const startOwnPostgres = (t: Ending) => startTestPostgres(untilEndOf(t), servers?.seed)

/** The server of this run, or a new one when `node` runs a test file alone. */
async function postgresUrl (t: Ending): Promise<string> {
  return servers?.postgres ?? (await startOwnPostgres(t)).url('postgres', OWNER_PASSWORD, 'postgres')
}

function atDatabase (server: string, database: string, role?: string, password?: string): string {
  const url = new URL(server)
  url.pathname = database
  if (role) url.username = role
  if (password) url.password = password
  return url.href
}

/** One connection of the superuser for all tests of a process. */
const connectionTo = (server: string): Promise<pg.Pool> => shared(`connection to ${server}`, async () => {
  const connection = new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0, query_timeout: WAIT_LIMIT })
  connection.on('error', () => {})
  onProcessEnd(() => connection.end())
  return connection
})

/** In milliseconds. Users are not kept waiting as long; on a busy machine the requests of a test would get 503. */
const CONNECT_TIMEOUT = 60_000

/** The databases that the service can use as soon as it starts. */
const migrated = new Set<string>()

/** A new database for this test. `empty`: without migrations. */
export async function createDatabase (t: Ending, { empty = false } = {}) {
  const server = await postgresUrl(t)
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = await connectionTo(server)
  // Copying the files takes half as long as writing each page to the log.
  await admin.query(`CREATE DATABASE ${name} ${empty ? '' : `TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`}`)
  const DATABASE_URL = atDatabase(server, name, 'gatehouse', SERVICE_PASSWORD)
  if (!empty) migrated.add(DATABASE_URL)
  const owner = new pg.Pool({ connectionString: atDatabase(server, name), max: 3, query_timeout: WAIT_LIMIT })
  owner.on('error', () => {})
  t.teardown(async () => {
    await owner.end()
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
  })
  return {
    owner,
    settings: {
      DATABASE_URL,
      MIGRATION_DATABASE_URL: atDatabase(server, name),
    },
  }
}

/** The minimum of bcrypt. Tests that need a hash to take time, or production settings, set their own cost. */
export const TEST_COST = 4

export const BASE_SETTINGS = { NODE_ENV: 'test', JWT_SECRET, PORT: '0', BCRYPT_COST: String(TEST_COST) }

/** Values that must never be logged: `build` searches the log for each at the end. */
export const secrets = new Set<string>([JWT_SECRET])

class CapturedLog extends Writable {
  text = ''

  override _write (chunk: Buffer, _encoding: string, done: () => void) {
    this.text += chunk
    done()
  }

  get lines (): Array<Record<string, any>> {
    return this.text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  }

  get errors (): Array<Record<string, any>> {
    return this.lines.filter(({ level }) => level === 'error' || level === 'fatal')
  }
}

export function checkLog ({ text }: CapturedLog) {
  if ([...secrets].some(secret => text.includes(secret))) throw new Error('a secret reached the log')
}

interface BuildOptions {
  settings?: Record<string, string>
  /** Runs before the plugins and routes are loaded. */
  before?(app: FastifyInstance): void
  /** Set where the job queue cannot connect: `build` does not wait for it. */
  withoutJobs?: boolean
  /** Connections to PostgreSQL time out as in production. */
  ownTimeout?: boolean
}

/** The whole service on real dependencies, with its log captured. It closes with the test. */
export async function build (t: Ending, options: BuildOptions = {}) {
  const { settings = {}, before, withoutJobs = false, ownTimeout = false } = options
  const database = settings.DATABASE_URL ? undefined : await createDatabase(t)
  const log = new CapturedLog()
  const config = loadConfig(
    {
      ...BASE_SETTINGS,
      REDIS_PREFIX: `test:${randomBytes(8).toString('hex')}:`,
      ...(settings.NODE_ENV === 'production' && { BCRYPT_COST: '10' }),
      ...database?.settings,
      ...settings,
    },
    {}
  )
  const app = buildApp(config, log)
  before?.(app)
  t.teardown(async () => {
    await inTime(app.close(), 'the end of the service')
    checkLog(log)
  })
  await app.ready()
  if (migrated.has(config.DATABASE_URL as string) && !withoutJobs) {
    if (!ownTimeout) app.pg.pool.options.connectionTimeoutMillis = CONNECT_TIMEOUT
    // The service starts without the job queue if that takes long, and the first requests would get 503.
    await inTime(app.jobs.connected(), 'the connection of the job queue')
  }
  return { app, log, owner: database?.owner as pg.Pool }
}

const ofFile = new Map<string, ReturnType<typeof build>>()

/** What a migration fills, a trigger, or the service at its start. */
const KEPT = ['account_totals', 'content', 'event_readers', 'retired_signing_keys', 'schema_migrations', 'signing_keys']

/** Tables of our own, without those of the job queue. */
export const emptyTables = (owner: pg.Pool) => owner.query(`
  DELETE FROM users;
  DO $$ DECLARE tables text; BEGIN
    SELECT string_agg(quote_ident(tablename), ', ') INTO tables FROM pg_tables
    WHERE schemaname = 'public' AND tablename <> ALL ('{${KEPT}}');
    EXECUTE 'TRUNCATE ' || tables;
  END $$`)

/** With the default settings: one for all files of the process, with an empty log and empty tables for each file. */
async function buildForProcess () {
  const service = await shared('service', () => build({ teardown: onProcessEnd }))
  const { log, owner } = service
  log.text = ''
  root.teardown(async () => {
    checkLog(log)
    await emptyTables(owner)
  })
  return service
}

export const untilMailed = (owner: pg.Pool) => eventually(
  () => owner.query("SELECT FROM pgboss.job WHERE name = 'mail' AND state < 'completed'"),
  ({ rowCount }) => rowCount === 0
)

/**
 * One service for all tests of a file that ask with the same settings, because building one takes time.
 * The rows of a test are deleted at its end. The limits keep counting, so each browser has its own address.
 */
export async function buildShared (t: Test, { settings = {} }: Pick<BuildOptions, 'settings'> = {}) {
  const key = JSON.stringify(settings)
  const building = ofFile.get(key) ?? (key === '{}' ? buildForProcess() : build(root, { settings }))
  ofFile.set(key, building)
  const { owner } = await building
  t.teardown(async function deleteAll () {
    await untilMailed(owner)
    await owner.query('DELETE FROM pgboss.job; DELETE FROM auth_events; DELETE FROM users')
  })
  return building
}
