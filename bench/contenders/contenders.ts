import { join } from 'node:path'
import bcrypt from 'bcrypt'
import { IMAGE_SETTINGS } from '../environment/install.ts'
import type { Cookies, Job } from '../load/job.ts'
import { startProgram, type Program } from './start-program.ts'
import { fillUsers } from '../data/sessions.ts'
import type { Stage } from '../environment/stage.ts'
import { JWT_SECRET } from '../data/tokens.ts'

const PUBLIC_URL = 'https://auth.example.com'
const PASSWORD = 'tr0mbone-Under-glass!'
const PEOPLE = 1_000
/** They sign in at the same time. */
export const BROWSERS = 16

const program = (name: string) => join(import.meta.dirname, 'programs', name)

/** A program that signs users in and checks their cookies. */
export interface Contender extends Program {
  database: string
  signIn: Pick<Job, 'port' | 'method' | 'path' | 'headers' | 'bodies' | 'keep'>
  check: Pick<Job, 'port' | 'method' | 'path'>
  /** The cookie of a signed-in user. */
  cookies(): Promise<Cookies>
}

/** All our clients have the same address. */
export const NO_LIMITS = {
  LIMIT_LOGIN_MAX: '1000000000',
  LIMIT_GENERAL_MAX: '1000000000',
  LIMIT_ACCOUNT_MAX: '1000000000',
}
export const DEFAULT_LIMITS = {}

/** As in production. */
export const serviceSettings = (stage: Stage, database: string, cost: number, limits: object = NO_LIMITS) => ({
  PUBLIC_URL,
  DATABASE_URL: stage.service(database),
  REDIS_URL: stage.redisUrl,
  SMTP_URL: stage.smtpUrl,
  JWT_SECRET,
  BCRYPT_COST: String(cost),
  ...limits,
})

export function startService (
  stage: Stage,
  service: string,
  database: string,
  cost: number,
  limits?: object
): Promise<Program> {
  return startProgram({
    command: [process.execPath, service, 'serve'],
    env: { ...serviceSettings(stage, database, cost, limits), ...IMAGE_SETTINGS },
    ready: '/health/ready',
    log: join(stage.dir, 'gatehouse.log'),
  })
}

export async function startGatehouse (
  stage: Stage,
  service: string,
  cost: number,
  limits?: object
): Promise<Contender> {
  const database = `gatehouse_${cost}`
  if (!(await exists(stage, database))) {
    await stage.createServiceDatabase(database)
    await fillUsers(stage, database, PEOPLE, await bcrypt.hash(PASSWORD, cost))
  }
  const started = await startService(stage, service, database, cost, limits)
  return contender(started, database, {
    signIn: '/login',
    credentials: n => ({ username: `user${n}`, password: PASSWORD }),
    check: '/api/auth/verify',
    origin: PUBLIC_URL,
    accounts: PEOPLE,
    // Most sign-ins are from known browsers, which cause no mail.
    keep: ['device'],
  })
}

export async function startBetterAuth (stage: Stage, cost: number, { cookieCache = false } = {}): Promise<Contender> {
  const database = `better_auth_${cost}`
  const known = await exists(stage, database)
  if (!known) await stage.createDatabase(database)
  const started = await startProgram({
    command: [process.execPath, program('better-auth.js')],
    env: {
      DATABASE_URL: stage.owner(database),
      SECRET: JWT_SECRET,
      BCRYPT_COST: String(cost),
      COOKIE_CACHE: String(cookieCache),
    },
    ready: '/api/auth/ok',
    log: join(stage.dir, 'better-auth.log'),
  })
  const origin = `http://127.0.0.1:${started.port}`
  if (!known) {
    for (let n = 1; n <= BROWSERS; n++) {
      await post(origin, '/api/auth/sign-up/email', origin, {
        name: `user${n}`,
        email: `user${n}@example.com`,
        password: PASSWORD,
      })
    }
  }
  return contender(started, database, {
    signIn: '/api/auth/sign-in/email',
    credentials: n => ({ email: `user${n}@example.com`, password: PASSWORD }),
    check: '/api/auth/get-session',
    origin,
    accounts: BROWSERS,
  })
}

export async function startPassport (stage: Stage, cost: number): Promise<Contender> {
  const database = `passport_${cost}`
  if (!(await exists(stage, database))) {
    await stage.createDatabase(database)
    await stage.query(
      database,
      `CREATE TABLE people (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        username text UNIQUE, email text UNIQUE, password_hash text)`
    )
    await stage.query(
      database,
      `
      INSERT INTO people (username, email, password_hash)
      SELECT 'user' || n, 'user' || n || '@example.com', $1 FROM generate_series(1, ${PEOPLE}) n`,
      [await bcrypt.hash(PASSWORD, cost)]
    )
  }
  const started = await startProgram({
    command: [process.execPath, program('passport.js')],
    env: { DATABASE_URL: stage.owner(database), SECRET: JWT_SECRET },
    log: join(stage.dir, 'passport.log'),
  })
  return contender(started, database, {
    signIn: '/login',
    credentials: n => ({ username: `user${n}`, password: PASSWORD }),
    check: '/verify',
    origin: PUBLIC_URL,
    accounts: PEOPLE,
  })
}

interface Dialect {
  signIn: string
  credentials(n: number): object
  check: string
  origin: string
  accounts: number
  keep?: string[]
}

function contender (
  started: Program,
  database: string,
  { signIn, credentials, check, origin, accounts, keep }: Dialect
): Contender {
  const { port } = started
  return {
    ...started,
    database,
    signIn: {
      port,
      method: 'POST',
      path: signIn,
      headers: { origin },
      bodies: Array.from({ length: accounts }, (_, index) => credentials(index + 1)),
      keep,
    },
    check: { port, method: 'GET', path: check },
    async cookies () {
      const answer = await post(`http://127.0.0.1:${port}`, signIn, origin, credentials(1))
      return Object.fromEntries(
        answer.headers.getSetCookie().map(line => /^([^=]+)=([^;]*)/.exec(line)?.slice(1) as [string, string])
      )
    },
  }
}

async function exists (stage: Stage, database: string): Promise<boolean> {
  return (await stage.query('postgres', 'SELECT FROM pg_database WHERE datname = $1', [database])).length > 0
}

async function post (server: string, path: string, origin: string, body: object): Promise<Response> {
  const answer = await fetch(server + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path} gave ${answer.status}: ${await answer.text()}`)
  return answer
}
