import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** From RFC 6455: the answer to a handshake proves that the server speaks WebSocket. */
const acceptOf = (key = '') =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** An app behind the access check. Returns its port. */
export async function startApp (t: Pick<Test, 'teardown'>, listener: RequestListener): Promise<number> {
  return listen(t, createServer(listener))
}

const onlyWebSockets: RequestListener = (_, response) => response.writeHead(426).end()

/** An app that greets each WebSocket with the headers it got, and then sends back what it receives. */
export async function startWebSocketApp (t: Pick<Test, 'teardown'>, listener = onlyWebSockets): Promise<number> {
  const app = createServer(listener)
  app.on('upgrade', ({ headers }, socket) => {
    const accept = acceptOf(headers['sec-websocket-key'])
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${accept}\r\n\r\n`)
    socket.write(textFrame(JSON.stringify(headers)))
    socket.on('data', frame => socket.write(textFrame(unmask(frame))))
    socket.on('error', () => {})
  })
  return listen(t, app)
}

async function listen (t: Pick<Test, 'teardown'>, app: Server): Promise<number> {
  app.listen(0, '127.0.0.1')
  await once(app, 'listening')
  t.teardown(() => {
    app.close()
    app.closeAllConnections()
  })
  return (app.address() as AddressInfo).port
}

function textFrame (text: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(text))
  return Buffer.concat([Buffer.from([0x81, 126]), length, Buffer.from(text)])
}

/** The text of one short frame of a client. */
function unmask (frame: Buffer): string {
  const mask = frame.subarray(2, 6)
  return Buffer.from(frame.subarray(6).map((byte, index) => byte ^ (mask[index % 4] as number))).toString()
}
