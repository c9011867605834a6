import { once } from 'node:events'
import { connect } from 'node:net'
import { WAIT_LIMIT } from '../patience.ts'

interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Sends raw bytes. Resolves when the server closes, or after the given number of responses. */
export async function sendRaw (
  port: number,
  bytes: string,
  enough = Infinity
): Promise<{ answers: RawAnswer[], closed: boolean }> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let closed = false
  // The server may close while we still send: the responses so far count.
  socket.on('error', () => {
    closed = true
  })
  socket.on('end', () => {
    closed = true
  })
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
    if (readAnswers(received).length >= enough) socket.destroy()
  })
  socket.setTimeout(WAIT_LIMIT, () => socket.destroy())
  socket.write(Buffer.from(bytes, 'latin1'))
  await once(socket, 'close')
  return { answers: readAnswers(received), closed }
}

function readAnswers (text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end === -1) break
    const [first = '', ...lines] = text.slice(at, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
    )
    const length = Number(headers['content-length'] ?? 0)
    if (!status || text.length < end + 4 + length) break
    answers.push({ status, headers, body: text.slice(end + 4, end + 4 + length) })
    at = end + 4 + length
  }
  return answers
}

/** A whole request. */
export function request (
  line: string,
  { headers = {}, body }: { headers?: Record<string, string>, body?: object } = {}
): string {
  const text = body ? JSON.stringify(body) : ''
  const all = {
    Host: 'auth.example.com',
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': String(text.length) }),
    ...headers,
  }
  return `${line} HTTP/1.1\r\n${Object.entries(all)
    .map(header => `${header.join(': ')}\r\n`)
    .join('')}\r\n${text}`
}
