// Keeps the servers of a run until after.ts sends SIGTERM, or until the run, whose process id is the argument, has
// ended without it: by Ctrl-C or SIGKILL. If this process is killed, PostgreSQL and Redis stop as well.
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './alive.ts'
import { startServers } from './start.ts'

const run = Number(process.argv[2])
const ends: Array<() => unknown> = []
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
try {
  await startServers(run, { onEnd: end => ends.unshift(end) })
  process.send?.('ready')
  while (!stopping.signal.aborted && isAlive(run)) await sleep(200)
} finally {
  for (const end of ends) await end()
}
