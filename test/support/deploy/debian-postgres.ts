import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { isInstalled } from '../../../demo/programs.ts'
import { makeFolder } from '../folder.ts'

const VERSIONS = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
const AS_POSTGRES = process.getuid?.() === 0
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--']
  : []

/** Why tests with Debian's PostgreSQL are skipped, or false. The one of the other tests comes without pg_dump. */
export const withoutDebianPostgres = isInstalled('pg_ctlcluster')
  ? false
  : 'NO postgresql ON THIS MACHINE: TESTS OF THE BACKUP DID NOT RUN'

/** An empty server with an owner of databases and its own programs. */
export async function startDebianPostgres (t: Pick<Test, 'teardown'>) {
  const bin = join(VERSIONS, readdirSync(VERSIONS).toSorted((a, b) => Number(a) - Number(b)).at(-1) ?? '', 'bin')
  const dir = makeFolder(t, 'postgres')
  const data = join(dir, 'data')
  mkdirSync(data)
  chmodSync(dir, 0o755)
  if (AS_POSTGRES.length > 0) execFileSync('chown', ['postgres', dir, data])
  const port = await freePort()
  const run = (program: string, ...args: string[]) => {
    const [command = '', ...rest] = [...AS_POSTGRES, join(bin, program), ...args]
    execFileSync(command, rest, { cwd: dir, stdio: 'ignore' })
  }
  run('initdb', '--pgdata', data, '--auth=trust', '--username=postgres')
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${dir} -c fsync=off`
  run('pg_ctl', '--pgdata', data, '--wait', '--log', join(dir, 'log'), '--options', options, 'start')
  t.teardown(() => run('pg_ctl', '--pgdata', data, '--wait', '--mode=immediate', 'stop'))

  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: dir, PGHOST: '127.0.0.1', PGPORT: String(port) }
  return {
    env,
    url: (user: string) => `postgres://${user}@127.0.0.1:${port}/gatehouse`,
    psql: (sql: string) =>
      execFileSync('psql', ['--username=postgres', '--no-psqlrc', '--quiet', '--command', sql, 'postgres'], { env }),
  }
}
