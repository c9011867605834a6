import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../../demo/free-port.ts'
import { isInstalled } from '../../../demo/programs.ts'
import { spawnTethered } from '../../../demo/tethered.ts'
import { SERVICE_PASSWORD } from '../build.ts'
import type { Teardown } from '../faults/dependencies.ts'
import { makeFolder } from '../folder.ts'
import { eventually } from '../patience.ts'

export const withoutPgbouncer = isInstalled('pgbouncer')
  ? false
  : 'NO pgbouncer ON THIS MACHINE: A POOLER IN FRONT OF POSTGRESQL WAS NOT TESTED'

/** Fewer than the instances open. */
const POOL_SIZE = 5
/** It refuses to run as root. */
const AS_NOBODY = process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []

/** PgBouncer in transaction mode in front of a server, with no setting beyond the necessary ones. */
export async function startPgbouncer (t: Teardown, serverPort: number): Promise<{ port: number }> {
  const dir = makeFolder(t, 'pgbouncer')
  const port = await freePort()
  chmodSync(dir, 0o755)
  writeFileSync(join(dir, 'users.txt'), `"gatehouse" "${SERVICE_PASSWORD}"\n`)
  writeFileSync(join(dir, 'pgbouncer.ini'), `
[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(dir, 'users.txt')}
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
`)
  const pgbouncer = spawnTethered([...AS_NOBODY, 'pgbouncer', '-q', join(dir, 'pgbouncer.ini')], 'KILL')
  const ended = once(pgbouncer, 'exit')
  t.teardown(async () => {
    pgbouncer.ref()
    pgbouncer.kill('SIGKILL')
    await ended
  })
  await eventually(() => accepts(port), Boolean)
  return { port }
}

async function accepts (port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const accepted = await once(socket, 'connect').then(() => true, () => false)
  socket.destroy()
  return accepted
}
