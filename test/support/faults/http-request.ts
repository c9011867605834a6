import { request, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

interface Request {
  port: number
  method: string
  path: string
  headers?: Record<string, string>
  /** A string is a form. */
  body?: object | string
  timeout: number
}
export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Sends one request on a new connection, without retries. Null when no complete response came in time. */
export async function sendRequest (
  { port, method, path, headers = {}, body, timeout }: Request
): Promise<HttpResponse | null> {
  const payload = typeof body === 'string' ? body : body && JSON.stringify(body)
  const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json'
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const sent = request(
    {
      port,
      method,
      path,
      host: '127.0.0.1',
      agent: false,
      signal: AbortSignal.timeout(timeout),
      headers: {
        ...headers,
        ...(payload && { 'content-type': type, 'content-length': Buffer.byteLength(payload) }),
      },
    },
    response =>
      text(response).then(
        body => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject
      )
  )
  sent.on('error', reject)
  sent.end(payload)
  return promise.catch(() => null)
}
