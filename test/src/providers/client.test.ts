import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { exchangeCode, fetchWithToken } from '../../../src/providers/client.ts'

/** Redirects to an internal address, and counts the requests there. */
async function startMisleading (t: Test) {
  const visits: string[] = []
  const server = createServer(({ url = '' }, answer) => {
    visits.push(url)
    if (url === '/inside') answer.end('{"access_token":"x","sub":"1"}')
    else answer.writeHead(Number(url.slice(1, 4)), { location: '/inside' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { visits, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

t.test('redirects of a provider are not followed', async t => {
  const { url, visits } = await startMisleading(t)
  for (const status of [301, 302, 303, 307, 308]) {
    const settings = { clientId: 'x', clientSecret: 'y', tokenUrl: new URL(`${url}/${status}`) } as Parameters<
      typeof exchangeCode
    >[0]
    await t.rejects(
      exchangeCode(settings, { code: 'z' }, AbortSignal.timeout(10_000)),
      `${status} from the token endpoint`
    )
    await t.rejects(
      fetchWithToken('token', AbortSignal.timeout(10_000))(`${url}/${status}`),
      `${status} from the profile endpoint`
    )
  }
  t.equal(visits.length, 10)
  t.notOk(visits.includes('/inside'))
  t.match(
    (await fetchWithToken('token', AbortSignal.timeout(10_000))(`${url}/inside`)).body,
    { sub: '1' },
    'the address is reachable'
  )
})
