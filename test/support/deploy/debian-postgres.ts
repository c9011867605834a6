import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { isInstalled } from '../../../demo/programs.ts'
import { makeFolder } from '../folder.ts'

const VERSIONS = '/usr/lib/postgresql'
const newest = existsSync(VERSIONS) ? readdirSync(VERSIONS).toSorted((a, b) => Number(a) - Number(b)).at(-1) : ''
const BIN = join(VERSIONS, newest ?? '', 'bin')
/** PostgreSQL refuses to run as root. */
const AS_POSTGRES = process.getuid?.() === 0
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--']
  : []

/** Why tests with Debian's PostgreSQL are skipped, or false. The one of the other tests comes without pg_dump. */
export const withoutDebianPostgres = isInstalled('pg_ctlcluster')
  ? false
  : 'NO postgresql ON THIS MACHINE: TESTS OF THE BACKUP DID NOT RUN'

interface Options {
  /** Settings of the server, besides those of every test. */
  settings?: Record<string, string>
  /** A data folder to start with, such as a base backup. Without it, the server is empty. */
  data?: string
}

/** Runs a program of PostgreSQL as its user. */
export function runAsPostgres (program: string, args: string[], env?: Record<string, string>) {
  const [command = '', ...rest] = [...AS_POSTGRES, join(BIN, program), ...args]
  execFileSync(command, rest, { cwd: '/', stdio: 'ignore', env: { ...process.env, ...env } })
}

/** A folder that the user of PostgreSQL can write to. */
export function folderForPostgres (t: Pick<Test, 'teardown'>, name: string): string {
  const dir = makeFolder(t, name)
  chmodSync(dir, 0o755)
  if (AS_POSTGRES.length > 0) execFileSync('chown', ['postgres', dir])
  return dir
}

/** A server with an owner of databases and its own programs. */
export async function startDebianPostgres (t: Pick<Test, 'teardown'>, { settings = {}, data }: Options = {}) {
  const dir = folderForPostgres(t, 'postgres')
  const folder = data ?? join(dir, 'data')
  const port = await freePort()
  if (!data) runAsPostgres('initdb', ['--pgdata', folder, '--auth=trust', '--username=postgres'])
  const options = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: dir,
    fsync: 'off',
    ...settings,
  }).map(([name, value]) => `-c '${name}=${value}'`)
  const control = (...args: string[]) => runAsPostgres('pg_ctl', ['--pgdata', folder, '--wait', ...args])
  control('--log', join(dir, 'log'), '--options', [`-p ${port}`, ...options].join(' '), 'start')
  let running = true
  const stop = (mode = 'immediate') => {
    if (running) control(`--mode=${mode}`, 'stop')
    running = false
  }
  t.teardown(() => stop())

  const env = { PATH: `${BIN}:${process.env.PATH}`, HOME: dir, PGHOST: '127.0.0.1', PGPORT: String(port) }
  return {
    env,
    stop,
    url: (user: string) => `postgres://${user}@127.0.0.1:${port}/gatehouse`,
    psql: (sql: string, database = 'postgres') => execFileSync(
      'psql',
      ['--username=postgres', '--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--command', sql, database],
      { env, encoding: 'utf8' }
    ).trim(),
  }
}
