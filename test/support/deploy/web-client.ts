import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { secrets } from '../build.ts'
import { repeatRefused } from '../repeat-refused.ts'
import type { FrontEnd } from './front-end.ts'

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  /** All values of a header. */
  all(name: string): string[]
  body: string
}

interface Asked {
  body?: object | string
  headers?: Record<string, string>
}

export async function answerOf (message: IncomingMessage): Promise<Answer> {
  return {
    status: message.statusCode as number,
    headers: message.headers,
    all: name =>
      message.rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name),
    body: await text(message),
  }
}

/**
 * Connects to the front end over TLS from its own address, and keeps cookies as a browser does. It sends again what the
 * service refuses (503), unless told otherwise.
 */
export function createVisitor (
  frontEnd: Pick<FrontEnd, 'httpsPort' | 'certificate'>,
  { address = '127.0.0.1', repeats = true } = {}
) {
  const cookies = new Map<string, string>()
  const agent = new Agent({ keepAlive: true, ca: frontEnd.certificate })

  async function sendOnce (method: string, path: string, content: Asked = {}): Promise<Answer> {
    const { body, headers = {} } = content
    const payload = typeof body === 'object' ? JSON.stringify(body) : body
    const asked = request({
      host: '127.0.0.1',
      servername: 'localhost',
      port: frontEnd.httpsPort,
      localAddress: address,
      agent,
      method,
      path,
      headers: {
        host: 'localhost',
        cookie: [...cookies].map(pair => pair.join('=')).join('; '),
        ...(payload !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        }),
        ...headers,
      },
    })
    asked.end(payload)
    let message: IncomingMessage
    try {
      [message] = await once(asked, 'response')
    } catch (error) {
      // The front end may close an idle connection at any time. Browsers then send the request again.
      const wasClosed = ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
      if (asked.reusedSocket && wasClosed) return sendOnce(method, path, content)
      throw error
    }
    const answer = await answerOf(message)
    for (const line of answer.headers['set-cookie'] ?? []) keep(line)
    return answer
  }

  const send: typeof sendOnce = (...request) =>
    repeats ? repeatRefused(() => sendOnce(...request)) : sendOnce(...request)

  function keep (line: string) {
    const [, name = '', value = ''] = line.match(/^([^=]+)=([^;]*)/) ?? []
    if (value) cookies.set(name, value)
    else cookies.delete(name)
    if (name.endsWith('_token') && value) secrets.add(value)
  }

  return {
    cookies,
    send,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, { headers }),
    post: (path: string, body?: object, headers?: Record<string, string>) => send('POST', path, { body, headers }),
    leave: () => agent.destroy(),
  }
}

export type Visitor = ReturnType<typeof createVisitor>
