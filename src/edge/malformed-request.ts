import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

const RESPONSES: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

/** Time to deliver the response before the socket is destroyed, even if the client keeps sending. */
const LINGER_TIMEOUT = 1_000

/** Responds to input that is not valid HTTP. No Fastify hook runs here, so the headers are written by hand. */
export function refuseMalformed (
  error: NodeJS.ErrnoException,
  socket: Socket,
  securityHeaders: Readonly<Record<string, string>>
) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const [status, message] = RESPONSES[error.code ?? ''] ?? [400, 'The request is not valid HTTP.']
  const body = JSON.stringify({ error: STATUS_CODES[status], message })
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const head = Object.entries(headers).map(header => header.join(': ')).join('\r\n')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER_TIMEOUT).unref()
}
