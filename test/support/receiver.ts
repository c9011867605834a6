import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'

export interface Received { headers: Record<string, string>, body: string, message: any }

/** Ends with the test, whatever hangs. */
export async function listen (t: Pick<Test, 'teardown'>, server: http.Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function bodyOf (request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

const messageOf = ({ headers }: IncomingMessage, body: string) =>
  headers['content-type'] === 'application/json' ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))

/** A receiver of webhooks. `answer` decides for each message: a status, or what to do with the response. */
export async function startReceiver (
  t: Pick<Test, 'teardown'>,
  answer: (received: Received, response: ServerResponse) => number | void = () => 204
) {
  const received: Received[] = []
  const listener: RequestListener = async (request, response) => {
    const body = await bodyOf(request)
    const got = { headers: request.headers as Record<string, string>, body, message: messageOf(request, body) }
    received.push(got)
    const status = answer(got, response)
    if (status) response.writeHead(status).end()
  }
  const port = await listen(t, http.createServer(listener))
  return { received, url: `http://127.0.0.1:${port}/hooks`, types: () => received.map(({ message }) => message.type) }
}
