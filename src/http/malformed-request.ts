import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

const ANSWERS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are larger than this server takes.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

/** So long the answer may travel. Cut at once, it could be lost; never cut, whoever goes on sending would stay. */
const LINGER_TIMEOUT = 1_000

/** Answers what is not HTTP at all: no hook of Fastify runs here, so the headers are written by hand. */
export function refuseMalformed (error: NodeJS.ErrnoException, socket: Socket, headers: Readonly<Record<string, string>>) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const [status, message] = ANSWERS[error.code ?? ''] ?? [400, 'The request is not valid HTTP.']
  const body = JSON.stringify({ error: STATUS_CODES[status], message })
  const lines = Object.entries({ ...headers, 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body), connection: 'close' })
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(line => line.join(': ')).join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER_TIMEOUT).unref()
}
