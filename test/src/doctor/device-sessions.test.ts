import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import t from 'tap'
import { loadConfig } from '../../../src/config.ts'
import { checkDeviceSessions } from '../../../src/doctor/device-sessions.ts'
import { JWT_SECRET } from '../../support/build.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { makeFolder } from '../../support/folder.ts'

async function findingFor (PUBLIC_URL: string, DEVICE_BOUND_SESSIONS = 'on') {
  const DATABASE_URL = 'postgres://db/gatehouse'
  const config = loadConfig({}, { JWT_SECRET, DATABASE_URL, PUBLIC_URL, DEVICE_BOUND_SESSIONS })
  const [finding] = await checkDeviceSessions(config)
  return finding && [finding.state, finding.message, finding.advice].join(' ')
}

t.test('doctor: sessions bound to devices, without HTTPS', async t => {
  t.equal(await findingFor('http://localhost:1', 'off'), undefined)
  t.match(await findingFor('http://localhost:1'), /^problem .*no effect.*HTTPS only.*reverse proxy with TLS/)
  t.match(await findingFor('https://localhost:1'), /^warning .*cannot be reached/)
})

t.test('doctor: sessions bound to devices, what the front end responds with', async t => {
  const dir = makeFolder(t)
  const cert = makeCertificate(dir)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert])
  t.teardown(() => setDefaultCACertificates(before))
  let answer: [status: number, headers: Record<string, string>] = [200, {}]
  const server = createServer({ key: readFileSync(join(dir, 'certificate.key')), cert }, (request, response) => {
    const isAsked = request.method === 'POST' && request.url === '/api/auth/device/proof'
    response.writeHead(isAsked ? answer[0] : 500, answer[1]).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  for (const [status, headers, finding] of [
    [403, { 'secure-session-challenge': '"x"' }, /^ok /],
    [403, {}, /^problem .*no secure-session-challenge header.*pass on the headers/],
    [404, {}, /^problem .*status 404.*Upgrade all instances/],
    [429, {}, /^problem .*status 429.*without limits/],
    [301, { location: '/' }, /^problem .*status 301.*redirects/],
  ] as const) {
    answer = [status, headers]
    t.match(await findingFor(url), finding)
  }
})
