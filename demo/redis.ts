import { once } from 'node:events'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { spawnTethered } from './tethered.ts'

/** Starts redis-server without persistence on a free port, or on the given one. It ends with this process. */
export async function startRedis (dir: string, port?: number) {
  port ??= await freePort()
  const server = spawnTethered(
    ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir],
    'KILL'
  )
  const ended = once(server, 'exit')
  const stop = async () => {
    server.ref()
    server.kill('SIGKILL')
    await ended
  }
  const url = `redis://127.0.0.1:${port}`
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
  client.on('error', () => {})
  await client.ping()
  client.disconnect()
  return { url, port, stop, signal: (name: NodeJS.Signals) => server.kill(name) }
}
