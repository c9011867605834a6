import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { freePort } from '../../demo/free-port.ts'
import { startPostgres } from '../../demo/postgres.ts'
import { startRedis } from '../../demo/redis.ts'
import { migrate } from '../../src/database/migrate.ts'
import { processorTimeOfFamily } from './processor-time.ts'

export type OnEnd = (end: () => unknown) => void

/** Durable as in production, because the cost of a commit is part of the measurement. */
const POSTGRES_SETTINGS = {
  max_connections: 200,
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  maintenance_work_mem: '512MB',
  shared_preload_libraries: 'pg_stat_statements',
}

/** Real PostgreSQL, Redis and SMTP servers on 127.0.0.1 for all programs. They end with this process. */
export async function setStage (onEnd: OnEnd) {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  onEnd(() => rmSync(dir, { recursive: true, force: true }))
  const password = randomBytes(16).toString('hex')
  const postgres = await startPostgres({ dir: join(dir, 'postgres'), password, settings: POSTGRES_SETTINGS })
  onEnd(postgres.stop)
  const redis = await startRedis(dir)
  onEnd(redis.stop)
  const smtpUrl = await startMailSink(onEnd)
  const owner = (database: string) => postgres.url('postgres', password, database)

  async function query<R extends pg.QueryResultRow> (
    database: string,
    sql: string,
    values?: unknown[],
    before: string[] = []
  ): Promise<R[]> {
    const client = new pg.Client({ connectionString: owner(database) })
    await client.connect()
    try {
      for (const each of before) await client.query(each)
      return (await client.query<R>(sql, values)).rows
    } finally {
      await client.end()
    }
  }
  await query('postgres', `CREATE ROLE gatehouse LOGIN PASSWORD '${password}'`)

  const redisClient = new Redis(redis.url)
  onEnd(() => redisClient.disconnect())

  return {
    dir,
    postgres,
    redisUrl: redis.url,

    /** Seconds of processor time used so far. */
    async processorTimes (): Promise<{ postgres: number, redis: number }> {
      const info = await redisClient.info('cpu')
      const used = (part: string) => Number(new RegExp(`used_cpu_${part}:([\\d.]+)`).exec(info)?.[1])
      return { postgres: processorTimeOfFamily(postgres.pid), redis: used('sys') + used('user') }
    },

    smtpUrl,
    owner,
    query,
    service: (database: string) => postgres.url('gatehouse', password, database),
    createDatabase: (name: string) => query('postgres', `CREATE DATABASE ${name}`),

    async createServiceDatabase (name: string) {
      await query('postgres', `CREATE DATABASE ${name}`)
      await migrate({ DATABASE_URL: postgres.url('gatehouse', password, name), MIGRATION_DATABASE_URL: owner(name) })
    },
  }
}

export type Stage = Awaited<ReturnType<typeof setStage>>

/** Accepts every mail and discards it. */
async function startMailSink (onEnd: OnEnd): Promise<string> {
  const port = await freePort()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData (stream, _session, done) {
      stream.resume().on('end', done)
    },
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  onEnd(() => new Promise<void>(resolve => server.close(resolve)))
  return `smtp://127.0.0.1:${port}`
}
