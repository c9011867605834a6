import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { OnEnd } from './stage.ts'

/** Receives webhooks over TLS, as in production. `/silent` never answers. */
export async function startReceiver (dir: string, onEnd: OnEnd) {
  const [key, certificate] = [join(dir, 'receiver.key'), join(dir, 'receiver.pem')]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
    '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key,
    '-out', certificate], { stdio: 'ignore' })
  let received = 0
  const files = { key: readFileSync(key), cert: readFileSync(certificate) }
  const server = https.createServer(files, (request, response) => {
    request.resume()
    received++
    if (request.url !== '/silent') response.writeHead(204).end()
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { certificate, url: `https://localhost:${port}/`, received: () => received }
}
