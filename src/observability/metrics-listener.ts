import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathOf } from '../http/path.ts'
import { reasonOf } from './error-reason.ts'

interface Source {
  contentType: string
  write (): Promise<string>
}

/** GET /metrics, and nothing else. */
export function createMetricsListener ({ contentType, write }: Source) {
  const server = createServer(function answer (request, response) {
    const refusal = refusalOf(request)
    if (refusal) return end(response, refusal)
    write().then(text => end(response, 200, text, { 'content-type': contentType }), () => end(response, 500))
  })

  return {
    async listen (host: string, port: number): Promise<string> {
      server.listen(port, host)
      await once(server, 'listening').catch(error => {
        throw new Error(`METRICS_PORT cannot be opened: ${reasonOf(error)}.`, { cause: error })
      })
      const { address, family, port: actual } = server.address() as AddressInfo
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}/metrics`
    },

    async close () {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function refusalOf ({ method, url = '' }: IncomingMessage): number | undefined {
  if (pathOf(url) !== '/metrics') return 404
  return method === 'GET' || method === 'HEAD' ? undefined : 405
}

function end (response: ServerResponse, status: number, body = '', headers = {}) {
  response.writeHead(status, { 'cache-control': 'no-store', ...headers }).end(body)
}
