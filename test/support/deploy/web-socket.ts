import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Socket } from 'node:net'
import type { Test } from 'tap'
import { eventually } from '../patience.ts'
import type { FrontEnd } from './front-end.ts'

/** Asks for a WebSocket. If the status is not 101, there is none. */
export async function openWebSocket (
  t: Pick<Test, 'teardown'>,
  { httpsPort, certificate }: Pick<FrontEnd, 'httpsPort' | 'certificate'>,
  path: string,
  headers: Record<string, string> = {}
) {
  const asked = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port: httpsPort,
    ca: certificate,
    agent: false,
    path,
    headers: {
      host: 'localhost',
      origin: 'https://localhost',
      'sec-fetch-mode': 'websocket',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      ...headers,
    },
  }).end()
  const [message, socket] = await Promise.race([once(asked, 'upgrade'), once(asked, 'response')]) as
    [IncomingMessage, Socket?, Buffer?]
  t.teardown(() => asked.destroy())
  const received: Buffer[] = []
  socket?.on('data', chunk => received.push(chunk))
  socket?.on('error', () => {})
  let read = 0

  return {
    status: message.statusCode,
    /** The text of the next frame. Frames of the test app have a length of two bytes. */
    async next (): Promise<string> {
      const all = await eventually(() => Buffer.concat(received), all => {
        return all.length >= read + 4 && all.length >= read + 4 + all.readUInt16BE(read + 2)
      })
      const end = read + 4 + all.readUInt16BE(read + 2)
      const text = all.subarray(read + 4, end).toString()
      read = end
      return text
    },
    /** A short text in one frame with a mask, as RFC 6455 asks of clients. */
    send (text: string) {
      const mask = randomBytes(4)
      const masked = Buffer.from(text).map((byte, index) => byte ^ (mask[index % 4] as number))
      socket?.write(Buffer.concat([Buffer.from([0x81, 0x80 | masked.length]), mask, masked]))
    },
  }
}
