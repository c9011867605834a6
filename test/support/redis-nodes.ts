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
import { eventually } from './patience.ts'

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

const MASTERS = 3

/** A cluster of three masters, each with a number of replicas. */
export async function startCluster (t: Test, { replicas = 0, nodeTimeout = 500 } = {}) {
  const nodes = []
  for (let index = 0; index < MASTERS * (1 + replicas); index++) {
    nodes.push(
      await startNode(t, [
        '--cluster-enabled',
        'yes',
        '--cluster-node-timeout',
        String(nodeTimeout),
        '--cluster-port',
        String(await freePort()),
        '--repl-diskless-sync-delay',
        '0',
      ])
    )
  }
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const options = ['--cluster-replicas', String(replicas), '--cluster-yes']
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, ...options])
  for (const { port } of nodes.slice(MASTERS)) await untilReplicated(port)
  return { nodes, url: `redis-cluster://${addresses.slice(0, 2)}` }
}

/** A replica that has never had the data of its master does not take over. */
async function untilReplicated (port: number) {
  const info = async () =>
    (await promisify(execFile)('redis-cli', ['-p', String(port), 'INFO', 'replication'])).stdout
  await eventually(info, text => text.includes('master_link_status:up'))
}

/** A master, its replica, and sentinels of which a majority promotes the replica. */
export async function startSentinel (t: Test, { sentinels = 1 } = {}) {
  const password = 'p@ss'
  const auth = ['--requirepass', password, '--masterauth', password, '--repl-diskless-sync-delay', '0']
  const master = await startNode(t, auth, { password })
  const replica = await startNode(t, [...auth, '--replicaof', '127.0.0.1', String(master.port)], { password })
  const config = [
    `sentinel monitor mymaster 127.0.0.1 ${master.port} ${Math.floor(sentinels / 2) + 1}`,
    `sentinel auth-pass mymaster ${password}`,
    'sentinel down-after-milliseconds mymaster 500',
    'sentinel failover-timeout mymaster 2000',
  ].join('\n')
  const ports = []
  for (let index = 0; index < sentinels; index++) ports.push((await startNode(t, ['--sentinel'], { config })).port)
  const addresses = [...ports, 1].map(port => `127.0.0.1:${port}`)
  return {
    master,
    replica,
    url: `redis-sentinel://:${encodeURIComponent(password)}@${addresses}/mymaster`,
  }
}
