import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import pretty from 'pino-pretty'
import { startApplication } from './application.ts'
import { banner } from './banner.ts'
import { BRAND_A, BRAND_B } from './brands.ts'
import { freePort } from './free-port.ts'
import { startMailbox } from './mailbox.ts'
import { extendWithOperator } from './operator.ts'
import { startPostgres, type Postgres } from './postgres.ts'
import { startProviderA } from './provider-a.ts'
import { startProviderB } from './provider-b.ts'
import { PROVIDER_C, startProviderC } from './provider-c.ts'
import { registerApplication } from './register-application.ts'
import { forgetRunning, writeRunning } from './running.ts'
import { seed } from './seed.ts'
import { extendWithTour } from './tour.ts'

const DATA = resolve('.data')
/** Not 5432, which another PostgreSQL on this machine may use. */
const PORT = 54329
/** The issuer of provider C stays the same after a restart: identities belong to an issuer. */
const PROVIDER_C_PORT = 54331
const OPERATOR_PORT = 4100
const APPLICATION_PORT = 4200

/** Starts everything that the service needs. The data is kept in `.data/`. */
export async function startStack (publicUrl: string) {
  if (!URL.canParse(publicUrl)) throw new Error(`PORT or PUBLIC_URL is not valid: the demo cannot be at ${publicUrl}.`)
  await mkdir(DATA, { recursive: true, mode: 0o700 })
  const secrets = await loadSecrets(`${DATA}/secrets.json`)
  // With PORT=0 several may start at once, and find the same port free.
  const preferred = (port: number) => new URL(publicUrl).port === '0' ? 0 : port
  console.log('Starting the embedded PostgreSQL…')
  const postgres = await startPostgres({
    dir: `${DATA}/postgres`,
    password: secrets.owner,
    preferredPort: preferred(PORT),
  })
  await createDatabase(postgres, secrets)
  const mailbox = await startMailbox()
  const register = (path: string) => ({
    clientId: 'gatehouse-demo',
    clientSecret: secrets.provider,
    redirectUri: `${publicUrl}/api/auth/${path}/callback`,
  })
  const providerA = await startProviderA(register('provider-a'))
  const providerB = await startProviderB(register('provider-b'))
  const providerC = await startProviderC({ ...register(PROVIDER_C), port: preferred(PROVIDER_C_PORT) })

  const registered = {
    issuer: new URL(publicUrl).origin,
    clientId: secrets.applicationId,
    clientSecret: secrets.application,
    // Not localhost: another site than Gatehouse, without its cookies.
    url: `http://127.0.0.1:${await freePort(preferred(APPLICATION_PORT))}`,
  }
  const application = await startApplication(registered)

  const settings = {
    DATABASE_URL: postgres.url('gatehouse', secrets.service, 'gatehouse'),
    MIGRATION_DATABASE_URL: postgres.url('postgres', secrets.owner, 'gatehouse'),
    MIGRATE_ON_START: 'true',
    JWT_SECRET: secrets.jwt,
    SMTP_URL: mailbox.url,
    OPERATOR_PORT: String(await freePort(preferred(OPERATOR_PORT))),
    OPENID: 'on',
    MAIL_SIGN_IN: 'on',
    // Browsers bind sessions over HTTPS only: behind a reverse proxy, which PUBLIC_URL then names.
    DEVICE_BOUND_SESSIONS: publicUrl.startsWith('https:') ? 'on' : 'off',
    // The demo application is told about sign-outs at a loopback address.
    WEBHOOK_PRIVATE: 'allow',
    PROVIDER_A_NAME: BRAND_A.title,
    PROVIDER_B_NAME: BRAND_B.title,
    ...providerA.settings,
    ...providerB.settings,
    ...providerC.settings,
  }

  return {
    settings,
    seed,
    extend (app: FastifyInstance) {
      mailbox.extend(app)
      extendWithOperator(app)
      registerApplication(app, registered)
      extendWithTour(app, application.url)
    },
    log: pretty({ ignore: 'pid,hostname,reqId', translateTime: 'HH:MM:ss', singleLine: true }),
    async welcome (app: FastifyInstance) {
      await writeRunning(app.config, settings)
      console.log(banner(app, application.url))
    },
    async stop () {
      await forgetRunning()
      await Promise.all([application, mailbox, providerA, providerB, providerC, postgres].map(part => part.stop()))
    },
  }
}

type Secrets = Record<'owner' | 'service' | 'jwt' | 'provider' | 'application' | 'applicationId', string>

/** Generated at the first start and kept, so that sessions survive a restart. No secret is in the source. */
async function loadSecrets (file: string): Promise<Secrets> {
  const stored = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
  if (stored.applicationId) return stored
  const secrets = {
    owner: random(32),
    service: random(32),
    jwt: random(64),
    provider: random(32),
    application: random(32),
    applicationId: randomUUID(),
    ...stored,
  }
  await writeFile(file, JSON.stringify(secrets), { mode: 0o600 })
  return secrets
}

function random (bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

async function createDatabase (postgres: Postgres, secrets: Secrets) {
  const client = new pg.Client({ connectionString: postgres.url('postgres', secrets.owner, 'postgres') })
  await client.connect()
  try {
    const { rowCount: exists } = await client.query("SELECT FROM pg_database WHERE datname = 'gatehouse'")
    if (exists) return
    await client.query(`CREATE ROLE gatehouse LOGIN PASSWORD ${client.escapeLiteral(secrets.service)}`)
    await client.query('CREATE DATABASE gatehouse')
  } finally {
    await client.end()
  }
}
