import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { spawnTethered } from '../../demo/tethered.ts'

/** One node, which can be restarted on the same port. */
async function startNode (t: Test, options: string[], { config = '', password = '' } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const port = await freePort()
  const file = join(dir, 'redis.conf')
  writeFileSync(file, `port ${port}\nbind 127.0.0.1\ndir ${dir}\nsave ""\n${config}`)

  async function start () {
    const server = spawnTethered(['redis-server', file, ...options], 'KILL')
    const ended = once(server, 'exit')
    const stop = async () => {
      server.ref()
      server.kill('SIGKILL')
      await ended
    }
    t.teardown(stop)
    const client = new Redis(port, '127.0.0.1', { password, retryStrategy: () => 20, maxRetriesPerRequest: null })
    client.on('error', () => {})
    await client.ping()
    client.disconnect()
    return stop
  }

  let stop = await start()
  return {
    port,
    stop: () => stop(),
    start: async () => {
      stop = await start()
    },
  }
}

/** A cluster of three masters. */
export async function startCluster (t: Test) {
  const nodes = []
  for (let index = 0; index < 3; index++) {
    nodes.push(
      await startNode(t, [
        '--cluster-enabled',
        'yes',
        '--cluster-node-timeout',
        '500',
        '--cluster-port',
        String(await freePort()),
      ])
    )
  }
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'])
  return { nodes, url: `redis-cluster://${addresses.slice(0, 2)}` }
}

/** A master, its replica, and a sentinel that promotes the replica. */
export async function startSentinel (t: Test) {
  const password = 'p@ss'
  const auth = ['--requirepass', password, '--masterauth', password, '--repl-diskless-sync-delay', '0']
  const master = await startNode(t, auth, { password })
  const replica = await startNode(t, [...auth, '--replicaof', '127.0.0.1', String(master.port)], { password })
  const sentinel = await startNode(t, ['--sentinel'], {
    config: [
      `sentinel monitor mymaster 127.0.0.1 ${master.port} 1`,
      `sentinel auth-pass mymaster ${password}`,
      'sentinel down-after-milliseconds mymaster 500',
      'sentinel failover-timeout mymaster 2000',
    ].join('\n'),
  })
  return {
    master,
    replica,
    url: `redis-sentinel://:${encodeURIComponent(password)}@127.0.0.1:${sentinel.port},127.0.0.1:1/mymaster`,
  }
}
