import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathOf } from './log.ts'
import { reasonOf } from './error-reason.ts'

interface MetricsSource {
  contentType: string
  write (): Promise<string>
}

/** An HTTP server that serves only GET /metrics. */
export function createMetricsListener ({ contentType, write }: MetricsSource) {
  const server = createServer(function handle (request, response) {
    const errorStatus = errorStatusOf(request)
    if (errorStatus) return end(response, errorStatus)
    write().then(text => end(response, 200, text, { 'content-type': contentType }), () => end(response, 500))
  })

  return {
    async listen (host: string, port: number): Promise<string> {
      server.listen(port, host)
      await once(server, 'listening').catch(error => {
        throw new Error(`Cannot listen on METRICS_PORT: ${reasonOf(error)}.`, { cause: error })
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

function errorStatusOf ({ method, url = '' }: IncomingMessage): number | undefined {
  if (pathOf(url) !== '/metrics') return 404
  return method === 'GET' || method === 'HEAD' ? undefined : 405
}

function end (response: ServerResponse, status: number, body = '', headers = {}) {
  response.writeHead(status, { 'cache-control': 'no-store', ...headers }).end(body)
}
