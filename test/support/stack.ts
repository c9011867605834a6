import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../demo/postgres.ts'
import { startRedis } from '../../demo/redis.ts'
import { migrate } from '../../src/database/migrate.ts'

export const OWNER_PASSWORD = 'test-owner'
export const SERVICE_PASSWORD = 'test-service'
export const TEMPLATE = 'gatehouse_template'

export interface Disposable {
  onEnd(end: () => unknown): void
}

const MEMORY = '/dev/shm'
const GB = 2 ** 30

/** Databases are copied by the hundred: in memory that takes a fifth of the time. */
function whereFilesAreFast (): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > 4 * GB ? MEMORY : tmpdir()
}

/** A folder that is removed at the end. */
export function temporaryFolder (onEnd: Disposable['onEnd']): string {
  const dir = mkdtempSync(join(whereFilesAreFast(), 'gatehouse-test-'))
  onEnd(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Tests connect thousands of times: a client need not hash its password 4,096 times for each connection. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: 200, scram_iterations: 1 }

/** A data folder with the role of the service and one migrated database. A copy of it starts faster than a new one. */
export async function seedPostgres ({ onEnd }: Disposable): Promise<string> {
  const dir = join(temporaryFolder(onEnd), 'postgres')
  const postgres = await startPostgres({ dir, password: OWNER_PASSWORD, settings: SETTINGS })
  const owner = new pg.Client({ connectionString: postgres.url('postgres', OWNER_PASSWORD, 'postgres') })
  await owner.connect()
  await owner.query(`CREATE ROLE gatehouse LOGIN PASSWORD '${SERVICE_PASSWORD}'`)
  await owner.query(`ALTER ROLE postgres PASSWORD '${OWNER_PASSWORD}'`)
  await owner.query(`CREATE DATABASE ${TEMPLATE}`)
  await owner.end()
  await migrate({
    DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE),
    MIGRATION_DATABASE_URL: postgres.url('postgres', OWNER_PASSWORD, TEMPLATE),
  })
  await postgres.stop()
  return dir
}

/** A PostgreSQL for tests: without fsync, with one migrated template database. */
export async function startTestPostgres ({ onEnd }: Disposable, seed?: string) {
  const dir = join(temporaryFolder(onEnd), 'postgres')
  await promisify(execFile)('cp', ['-a', seed ?? await seedPostgres({ onEnd }), dir])
  const start = async (preferredPort?: number) => {
    const started = await startPostgres({ dir, password: OWNER_PASSWORD, preferredPort, settings: SETTINGS })
    onEnd(started.stop)
    return started
  }
  const postgres = await start()
  return { ...postgres, restart: () => start(postgres.port) }
}

/** A new Redis on a free port, or on the given one. */
export async function startTestRedis ({ onEnd }: Disposable, port?: number) {
  const redis = await startRedis(temporaryFolder(onEnd), port)
  onEnd(redis.stop)
  return redis
}
