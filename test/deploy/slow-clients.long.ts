import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { startFrontEnd, withoutNginx, type FrontEnd } from '../support/deploy/front-end.ts'
import { createVisitor } from '../support/deploy/web-client.ts'

/** The timeout of nginx for a slow client, and slack for a busy machine. */
const LIMIT = 10_000
const GRACE = 15_000
const AT_ONCE = 200
const UNFINISHED =
  'POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n'

/** Replaces an instance and counts the requests that reach it. */
async function startCounter (t: Test) {
  const seen: string[] = []
  const server = createServer(({ url = '' }, answer) => {
    seen.push(url)
    answer.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { seen, port: (server.address() as AddressInfo).port }
}

async function open (t: Test, { httpsPort, certificate }: FrontEnd, localAddress: string): Promise<Socket> {
  const plain = connect({ host: '127.0.0.1', port: httpsPort, localAddress })
  const socket = connectTls({ socket: plain, ca: certificate, servername: 'localhost', ALPNProtocols: ['http/1.1'] })
  plain.on('error', () => {})
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

/** Sends a byte from time to time until it is disconnected. */
async function drip (socket: Socket) {
  while (!socket.destroyed && socket.writable) {
    socket.write('x')
    await sleep(500)
  }
}

async function timeUntilCut (socket: Socket): Promise<number> {
  const began = performance.now()
  socket.setTimeout(LIMIT + GRACE, () => socket.destroy())
  await new Promise(resolve => {
    socket.once('close', resolve).resume()
  })
  return performance.now() - began
}

t.test('slow clients are disconnected by nginx', { skip: withoutNginx, timeout: HANG_TIMEOUT }, async t => {
  const counter = await startCounter(t)
  const frontEnd = await startFrontEnd(t, { instances: [counter.port, counter.port] })

  t.test('silent clients, slow headers, unfinished bodies: never reach the service', async t => {
    const silent = connect({ host: '127.0.0.1', port: frontEnd.httpsPort })
    silent.on('error', () => {})
    const header = await open(t, frontEnd, '127.0.0.80')
    header.write('GET /login HTTP/1.1\r\nHost: localhost\r\nX-Drip: ')
    const dripping = drip(header)
    const body = await open(t, frontEnd, '127.0.0.80')
    body.write(`${UNFINISHED}{"username"`)
    const cuts = await Promise.all(
      Object.entries({ silent, header, body }).map(async ([what, socket]) => ({
        what,
        ms: await timeUntilCut(socket),
      }))
    )
    for (const { what, ms } of cuts) t.ok(ms > LIMIT / 2 && ms < LIMIT + GRACE, `${what}: after ${Math.round(ms)} ms`)
    await dripping
    t.strictSame(counter.seen, [])
  })

  t.test(`slow bodies: at most ${AT_ONCE} at once for an address (429), others are served`, async t => {
    const slow: Array<{ socket: Socket, dripping: Promise<void> }> = []
    for (let each = 0; each < AT_ONCE; each++) {
      const socket = await open(t, frontEnd, '127.0.0.81')
      socket.write(`${UNFINISHED}{`)
      slow.push({ socket, dripping: drip(socket) })
    }
    const ask = async (address: string) => {
      const visitor = createVisitor(frontEnd, { address })
      const { status, headers } = await visitor.get('/health').finally(visitor.leave)
      return { status, hsts: headers['strict-transport-security'] }
    }
    const refused = await eventually(() => ask('127.0.0.81'), ({ status }) => status !== 200)
    t.strictSame(refused, { status: 429, hsts: 'max-age=31536000; includeSubDomains' })
    t.match(await ask('127.0.0.82'), { status: 200 })
    for (const { socket } of slow) socket.destroy()
    await Promise.all(slow.map(({ dripping }) => dripping))
    t.match(
      await eventually(() => ask('127.0.0.81'), ({ status }) => status === 200),
      { status: 200 },
      'then the address is served again'
    )
  })
})
