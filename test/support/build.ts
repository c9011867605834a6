import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { isInstalled } from '../../demo/programs.ts'
import { OWNER_PASSWORD, SERVICE_PASSWORD, startTestPostgres, startTestRedis, TEMPLATE } from './stack.ts'

export { pg, SERVICE_PASSWORD, TEMPLATE }

type Ending = Pick<Test, 'teardown'>
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

/** The Redis of the environment, or a new one. Keys have a unique prefix in both cases. */
export async function redisUrl (t: Ending): Promise<string> {
  return process.env.REDIS_URL ?? (await startRedis(t)).url
}
export const startOwnPostgres = (t: Ending) => startTestPostgres(untilEndOf(t))

/** The server that `npm test` started, or a new one when a test file is run alone. */
async function postgresUrl (t: Ending): Promise<string> {
  return process.env.TEST_POSTGRES ?? (await startOwnPostgres(t)).url('postgres', OWNER_PASSWORD, 'postgres')
}

function atDatabase (server: string, database: string, role?: string, password?: string): string {
  const url = new URL(server)
  url.pathname = database
  if (role) url.username = role
  if (password) url.password = password
  return url.href
}

/** A new database for this test. `empty`: without migrations. */
export async function createDatabase (t: Ending, { empty = false } = {}) {
  const server = await postgresUrl(t)
  const name = `test_${randomBytes(8).toString('hex')}`
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await run(`CREATE DATABASE ${name} ${empty ? '' : `TEMPLATE ${TEMPLATE}`}`)
  const owner = new pg.Pool({ connectionString: atDatabase(server, name), max: 2 })
  owner.on('error', () => {})
  t.teardown(async () => {
    await owner.end()
    await run(`DROP DATABASE ${name} WITH (FORCE)`)
  })
  return {
    owner,
    settings: {
      DATABASE_URL: atDatabase(server, name, 'gatehouse', SERVICE_PASSWORD),
      MIGRATION_DATABASE_URL: atDatabase(server, name),
    },
  }
}

export const JWT_SECRET = randomBytes(64).toString('base64url')

export const BASE_SETTINGS = { NODE_ENV: 'test', JWT_SECRET, PORT: '0', BCRYPT_COST: '10' }

/** Values that must never be logged: `build` searches the log for each at the end. */
export const secrets = new Set<string>([JWT_SECRET])

export class CapturedLog extends Writable {
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
}

interface BuildOptions {
  settings?: Record<string, string>
  /** Runs before the plugins and routes are loaded. */
  before?(app: FastifyInstance): void
}

/** The whole service on real dependencies, with its log captured. It closes with the test. */
export async function build (t: Test, { settings = {}, before }: BuildOptions = {}) {
  const database = settings.DATABASE_URL ? undefined : await createDatabase(t)
  const log = new CapturedLog()
  const app = buildApp(
    loadConfig(
      {
        ...BASE_SETTINGS,
        REDIS_PREFIX: `test:${randomBytes(8).toString('hex')}:`,
        ...database?.settings,
        ...settings,
      },
      {}
    ),
    log
  )
  before?.(app)
  t.teardown(async () => {
    await app.close()
    if ([...secrets].some(secret => log.text.includes(secret))) throw new Error('a secret reached the log')
  })
  await app.ready()
  return { app, log, owner: database?.owner as pg.Pool }
}
