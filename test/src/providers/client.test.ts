import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { exchangeCode, fetchWithToken } from '../../../src/providers/client.ts'
import { createBrowser } from '../../support/browser.ts'
import { build } from '../../support/build.ts'

const GRANT = { code: 'z', redirect_uri: 'https://auth.example.com/callback', code_verifier: 'v' }

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
    const { app } = await build(t, {
      settings: {
        PROVIDER_B_CLIENT_ID: 'gatehouse',
        PROVIDER_B_CLIENT_SECRET: 'pr0vider-Secret',
        PROVIDER_B_AUTHORIZE_URL: url,
        PROVIDER_B_TOKEN_URL: `${url}/${status}`,
      },
    })
    const browser = createBrowser(app)
    const { searchParams } = new URL(String((await browser.get('/api/auth/provider-b')).headers.location))
    const back = await browser.get(`/api/auth/provider-b/callback?code=x&state=${searchParams.get('state')}`)
    t.equal(back.headers.location, '/login?error=provider_b_auth_failed', `${status} from the token endpoint`)
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

t.test('a token endpoint that sends its body too late: fails in time and closes the connection', async t => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((_message, answer) => {
    answer.on('close', closed.resolve)
    answer.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    setTimeout(() => answer.end('x'.repeat(200_000)), 1_000)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  const settings = {
    clientId: 'x',
    clientSecret: 'y',
    tokenUrl: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  } as Parameters<typeof exchangeCode>[0]
  await t.rejects(exchangeCode(settings, GRANT, AbortSignal.timeout(200)), { name: 'TimeoutError' })
  await closed.promise
})
