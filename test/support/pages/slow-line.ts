import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Of the body. By then, all is there that a first screen shows. */
const SLOW_LINES = 24
const PAUSE = 50

/** Everything before the body at once, then its first lines one by one, then the rest. */
async function sendSlowly (html: string, to: ServerResponse) {
  const [head = '', body = ''] = html.split(/(?=<body)/)
  const lines = body.split(/(?<=\n)/)
  for (const part of [head, ...lines.slice(0, SLOW_LINES)]) {
    to.write(part)
    await sleep(PAUSE)
  }
  to.end(lines.slice(SLOW_LINES).join(''))
}

async function forward (request: IncomingMessage, response: ServerResponse) {
  const { port, pathname, search } = new URL(request.url as string)
  const { 'accept-encoding': _, ...headers } = request.headers
  const forwarded = send({ host: '127.0.0.1', port, path: pathname + search, method: request.method, headers })
  request.pipe(forwarded)
  const [answer] = await once(forwarded, 'response') as [IncomingMessage]
  const { 'content-length': __, ...others } = answer.headers
  response.writeHead(answer.statusCode as number, others)
  if (!String(answer.headers['content-type']).startsWith('text/html')) return answer.pipe(response)
  await sendSlowly(Buffer.concat(await answer.toArray()).toString(), response)
}

/** A proxy through which pages arrive line by line. Option of a browser context. */
export async function startSlowLine (t: Test) {
  const server = createServer((request, response) => {
    // The browser may leave while a page is on its way.
    forward(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>' }
}
