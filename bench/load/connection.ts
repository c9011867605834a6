import { once } from 'node:events'
import { connect } from 'node:net'

export interface Answer {
  /** 0 if the connection ended without a response. */
  status: number
  head: string
  ms: number
}

export interface Connection {
  /** Only after the response to the request before. */
  send(request: string, since?: number): void
  close(): void
}

/** A minimal HTTP/1.1 client. CONTRIBUTING.md says what it saves compared to autocannon. */
export async function openConnection (port: number, onAnswer: (answer: Answer) => void): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  await once(socket, 'connect')
  let received = ''
  let sentAt = 0
  let closed = false

  function finish (status: number) {
    const head = received
    received = ''
    onAnswer({ status, head, ms: performance.now() - sentAt })
  }

  socket.on('data', (text: string) => {
    received += text
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd !== -1 && isWhole(received, headEnd + 4)) finish(Number(received.slice(9, 12)))
  })
  socket.on('error', () => {})
  socket.on('close', () => closed || finish(0))

  return {
    send (request, since = performance.now()) {
      sentAt = since
      socket.write(request, 'latin1')
    },
    close () {
      closed = true
      socket.destroy()
    },
  }
}

function isWhole (received: string, bodyStart: number): boolean {
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1]
  if (length) return received.length >= bodyStart + Number(length)
  return !/\r\ntransfer-encoding: chunked/i.test(received) || received.endsWith('0\r\n\r\n')
}
