import { request, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

interface Request {
  port: number
  method: string
  path: string
  headers?: Record<string, string>
  body?: object
  patience: number
}
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** One request on a connection of its own, never repeated. Nothing when no whole answer came in time. */
export async function ask ({ port, method, path, headers = {}, body, patience }: Request): Promise<Answer | null> {
  const payload = body && JSON.stringify(body)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request(
    {
      port,
      method,
      path,
      host: '127.0.0.1',
      agent: false,
      signal: AbortSignal.timeout(patience),
      headers: {
        ...headers,
        ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      },
    },
    answer =>
      text(answer).then(body => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }), reject)
  )
  sent.on('error', reject)
  sent.end(payload)
  return promise.catch(() => null)
}
