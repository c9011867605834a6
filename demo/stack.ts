import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import pretty from 'pino-pretty'
import { banner } from './banner.ts'
import { startMailbox } from './mailbox.ts'
import { startPostgres, type Postgres } from './postgres.ts'
import { startProviderA } from './provider-a.ts'
import { startProviderB } from './provider-b.ts'
import { seed } from './seed.ts'

const DATA = resolve('.data')
/** Not 5432: a PostgreSQL of the user's own may be there. */
const PORT = 54329

/** Everything that the service needs to run on a machine that has nothing. Its data stays in `.data/`. */
export async function startStack (publicUrl: string) {
  await mkdir(DATA, { recursive: true, mode: 0o700 })
  const secrets = await keepSecrets(`${DATA}/secrets.json`)
  console.log('Starting the embedded PostgreSQL…')
  const postgres = await startPostgres({ dir: `${DATA}/postgres`, password: secrets.owner, preferredPort: PORT })
  await prepare(postgres, secrets)
  const mailbox = await startMailbox()
  const register = (path: string) => ({ clientId: 'gatehouse-demo', clientSecret: secrets.provider, redirectUri: `${publicUrl}/api/auth/${path}/callback` })
  const providerA = await startProviderA(register('provider-a'))
  const providerB = await startProviderB(register('provider-b'))

  return {
    settings: {
      DATABASE_URL: postgres.url('gatehouse', secrets.service, 'gatehouse'),
      MIGRATION_DATABASE_URL: postgres.url('postgres', secrets.owner, 'gatehouse'),
      MIGRATE_ON_START: 'true',
      JWT_SECRET: secrets.jwt,
      SMTP_URL: mailbox.url,
      ...providerA.settings,
      ...providerB.settings,
    },
    seed,
    extend: mailbox.extend,
    log: pretty({ ignore: 'pid,hostname,reqId', translateTime: 'HH:MM:ss', singleLine: true }),
    welcome: (app: FastifyInstance) => console.log(banner(app)),
    async stop () {
      await Promise.all([mailbox.stop(), providerA.stop(), providerB.stop(), postgres.stop()])
    },
  }
}

type Secrets = Record<'owner' | 'service' | 'jwt' | 'provider', string>

/** Made once and kept, so that sign-ins survive a restart. No secret of the demo stands in the source. */
async function keepSecrets (file: string): Promise<Secrets> {
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept) return JSON.parse(kept)
  const secrets = { owner: random(32), service: random(32), jwt: random(64), provider: random(32) }
  await writeFile(file, JSON.stringify(secrets), { mode: 0o600 })
  return secrets
}

function random (bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

async function prepare (postgres: Postgres, secrets: Secrets) {
  const client = new pg.Client({ connectionString: postgres.url('postgres', secrets.owner, 'postgres') })
  await client.connect()
  try {
    const { rowCount: known } = await client.query("SELECT FROM pg_database WHERE datname = 'gatehouse'")
    if (known) return
    await client.query(`CREATE ROLE gatehouse LOGIN PASSWORD ${client.escapeLiteral(secrets.service)}`)
    await client.query('CREATE DATABASE gatehouse')
  } finally {
    await client.end()
  }
}
