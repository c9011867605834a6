import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { makeCertificate } from '../certificate.ts'
import { makeFolder } from '../folder.ts'

/** `hang`: no response. `lose`: the service handles the request, and its response is cut off. */
export type Fault = 'hang' | 'lose' | 'lose once'

/** A request of the browser, and what came back. 0 without a response. */
export interface Exchange {
  path: string
  headers: IncomingMessage['headers']
  status: number
  answer: IncomingMessage['headers']
}

/** HTTPS in front of instances, as a reverse proxy does it. Faults are chosen by path. Other hosts have a page. */
export async function startTlsFront (t: Test, host: string) {
  const dir = makeFolder(t)
  const certificate = new X509Certificate(makeCertificate(dir))
  const faults = new Map<string, Fault>()
  const exchanges: Exchange[] = []
  const hanging: IncomingMessage[] = []
  let upstreams: number[] = []
  let turn = 0

  function pass (request: IncomingMessage, response: ServerResponse) {
    if (!request.headers.host?.startsWith(`${host}:`)) return response.end('<!doctype html><title>App</title>')
    const path = (request.url ?? '').split('?')[0] as string
    const exchange: Exchange = { path, headers: request.headers, status: 0, answer: {} }
    exchanges.push(exchange)
    const fault = faults.get(path)
    if (fault === 'hang') return hanging.push(request)
    const upstream = forward({
      port: upstreams[turn++ % upstreams.length],
      method: request.method,
      path: request.url,
      headers: { ...request.headers, 'x-forwarded-for': '10.3.0.1', 'x-forwarded-proto': 'https' },
    }, answer => {
      if (fault === 'lose once') faults.delete(path)
      if (fault?.startsWith('lose')) return request.socket.destroy()
      Object.assign(exchange, { status: answer.statusCode, answer: answer.headers })
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    upstream.on('error', () => {
      if (!response.headersSent) response.writeHead(502)
      response.end()
    })
    request.pipe(upstream)
  }

  const server = createServer({
    key: readFileSync(join(dir, 'certificate.key')),
    cert: certificate.toString(),
  }, pass)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' })
  return {
    port,
    url: `https://${host}:${port}`,
    host,
    /** For `--ignore-certificate-errors-spki-list`: browsers bind no session over an invalid certificate. */
    fingerprint: createHash('sha256').update(key).digest('base64'),
    faults,
    exchanges,
    /** Ends the faults. Requests that hang are cut off. */
    repair () {
      faults.clear()
      for (const { socket } of hanging.splice(0)) socket.destroy()
    },
    sendTo: (...ports: number[]) => { upstreams = ports },
    of: (path: string) => exchanges.filter(exchange => exchange.path === path),
  }
}

export type TlsFront = Awaited<ReturnType<typeof startTlsFront>>
