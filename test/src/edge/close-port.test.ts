import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { closePort } from '../../../src/edge/close-port.ts'

const CLIENTS = 20

t.test('closePort: connections that wait to be accepted are served, later ones are refused', async t => {
  const server = createServer(socket => socket.end('served'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const clients = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'))
  const responses = Promise.all(clients.map(client => text(client)))
  // The sockets connect in the next tick, before Node can accept any of them.
  await new Promise<void>(resolve => process.nextTick(resolve))
  await closePort(server)
  t.strictSame(await responses, Array(CLIENTS).fill('served'))

  const late = connect(port, '127.0.0.1')
  await t.rejects(once(late, 'connect'), { code: 'ECONNREFUSED' })
})
