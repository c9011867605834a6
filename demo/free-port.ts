import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Returns the preferred port if it is free, otherwise any free port. */
export async function freePort (preferred = 0): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
