import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import type { Test } from 'tap'
import { makeCertificate } from '../certificate.ts'

/** `https:` addresses for servers that speak `http:`, and the certificate file to trust. */
export async function startTlsEndpoints (t: Pick<Test, 'teardown'>) {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
  const cert = makeCertificate(dir)
  const key = readFileSync(join(dir, 'certificate.key'), 'utf8')
  t.teardown(() => rmSync(dir, { recursive: true }))

  async function secure (url: string): Promise<string> {
    const { hostname, port } = new URL(url)
    const server = createServer({ cert, key }, client => {
      const upstream = connect(Number(port), hostname)
      client.pipe(upstream).pipe(client)
      client.on('error', () => upstream.destroy())
      upstream.on('error', () => client.destroy())
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => server.close())
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  return {
    certificate: join(dir, 'certificate.pem'),
    /** The address and the settings of a provider, behind TLS. */
    async secured <Settings extends Record<string, string>>(provider: { url: string, settings: Settings }) {
      const url = await secure(provider.url)
      const entries = Object.entries(provider.settings).map(([name, value]) => [name, value.replace(provider.url, url)])
      return { url, settings: Object.fromEntries(entries) as Settings }
    },
  }
}
