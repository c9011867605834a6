import { once } from 'node:events'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that the system gives to connections and to servers without a port of their own. Each process begins
 * at a different one, so that no other takes a port between this check and its use.
 */
const FIRST = 12_000
const PROCESSES = 200
const EACH = 100
const own = FIRST + (process.pid % PROCESSES) * EACH
let taken = randomInt(EACH)

/** Returns the preferred port if it is free, otherwise any free port. */
export async function freePort (preferred = 0): Promise<number> {
  const port = preferred || own + taken++ % EACH
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
