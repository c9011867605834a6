import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../../../demo/free-port.ts'
import { isInstalled } from '../../../demo/programs.ts'
import { spawnTethered } from '../../../demo/tethered.ts'
import { replaceAll } from '../deploy/replace-all.ts'
import type { Teardown } from '../faults/dependencies.ts'
import { makeFolder } from '../folder.ts'
import { eventually } from '../patience.ts'

export const withoutHaproxy = isInstalled('haproxy')
  ? false
  : 'NO haproxy ON THIS MACHINE: FAILOVERS OF POSTGRESQL WERE NOT TESTED'

/** deploy/haproxy/haproxy.cfg in front of two servers. */
export async function startHaproxy (t: Teardown, servers: { a: number, b: number }) {
  const dir = makeFolder(t, 'haproxy')
  const [port, admin] = [await freePort(), await freePort()]
  cpSync('deploy/haproxy/haproxy.cfg', join(dir, 'haproxy.cfg'))
  replaceAll(dir, ['haproxy.cfg'], {
    '/run/haproxy/admin.sock mode 660': `ipv4@127.0.0.1:${admin}`,
    'bind :5432': `bind 127.0.0.1:${port}`,
    'db-a.example.com:5432': `127.0.0.1:${servers.a}`,
    'db-b.example.com:5432': `127.0.0.1:${servers.b}`,
  })
  const haproxy = spawnTethered(['haproxy', '-db', '-q', '-f', join(dir, 'haproxy.cfg')], 'KILL')
  const ended = once(haproxy, 'exit')
  t.teardown(async () => {
    haproxy.ref()
    haproxy.kill('SIGKILL')
    await ended
  })

  /** A command of the admin socket, as in docs/operating.md. */
  async function command (line: string): Promise<string> {
    const socket = connect(admin, '127.0.0.1')
    socket.end(`${line}\n`)
    return text(socket)
  }
  await eventually(() => command('show info').catch(() => ''), info => info.includes('Uptime'))
  return { port, command }
}
