import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createDatabase } from '../support/build.ts'
import { startProxy } from '../support/faults/tcp-proxy.ts'
import { prepareRequests, type PreparedRequest, type Response } from '../support/openid/prepared-requests.ts'
import { startProvider } from '../support/openid/provider.ts'
import { RESOURCES, VAULT } from '../support/openid/resources.ts'
import { eventually } from '../support/patience.ts'

/** PostgreSQL goes away after this many more bytes of its responses. A request reads 3,000 at most. */
const MAX_BYTES = 6_000
/** Smaller than the answer to a change, where one follows another without a read between them. */
const strideOf = (name: string) => name.includes('/revoke') ? 20 : 200
/** Applications and signing keys are read this often. */
const [APPLICATIONS_READ, KEYS_READ] = [1_000, 20_000]

const DISCOVERY = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

const { owner, settings } = await createDatabase(t)
const address = new URL(settings.DATABASE_URL)
const proxy = await startProxy(t, Number(address.port))
address.port = String(proxy.port)
const provider = await startProvider(t, {
  ...settings, ...RESOURCES, DATABASE_URL: address.href, DATABASE_POOL_MAX: '1',
})
const application = await provider.addApplication()
const asking = await provider.addApplication({ trusted: false })
const machine = await provider.addApplication({ kind: 'machine', redirectUris: [], trusted: false, resources: [VAULT] })
const requests = prepareRequests(provider, owner, application, asking, machine)

/** What is wrong with a refusal during an outage, if anything. */
function problemWith ({ status, headers, body }: Response, isNavigation = false): string | undefined {
  const type = String(headers['content-type'])
  const isWrong = status !== 503 || !(Number(headers['retry-after']) > 0) || headers.location !== undefined ||
    headers['set-cookie'] !== undefined || /invalid_|server_error/.test(body) ||
    !type.startsWith(isNavigation ? 'text/html' : 'application/json')
  return isWrong ? `${status} ${JSON.stringify(headers)} ${body.slice(0, 300)}` : undefined
}

/** Sends it again while it is refused rightly: a connection that was cut may be noticed late. */
async function sendUntilDecided ({ send, isNavigation }: PreparedRequest): Promise<Response> {
  return eventually(send, response => problemWith(response, isNavigation) !== undefined)
}

async function mustSucceed (t: Test, name: string, request: PreparedRequest, given?: Response) {
  const response = given ?? await sendUntilDecided(request)
  if (response.status === 400 && await request.isSpent?.()) return
  t.equal(response.status, request.usual, `${name}: ${response.status} ${response.body.slice(0, 200)}`)
  if (response.status === request.usual) t.equal(await request.check?.(response), undefined, name)
}

t.test('PostgreSQL away: every endpoint is a 503 with Retry-After, and works again afterwards', async t => {
  const prepared: Array<[string, PreparedRequest]> = []
  for (const [name, prepare] of Object.entries(requests)) prepared.push([name, await prepare()])
  await proxy.set({ kind: 'refuse' })
  for (const when of ['at once', 'without a cached application']) {
    for (const [name, { send, isNavigation }] of prepared) {
      t.equal(problemWith(await send(), isNavigation), undefined, `${name}, ${when}`)
    }
    await sleep(APPLICATIONS_READ + 100)
  }
  await proxy.clear()
  for (const [name, request] of prepared) await mustSucceed(t, name, request)
})

t.test('PostgreSQL away for long: discovery answers, and nothing is signed', async t => {
  const discover = () => Promise.all(DISCOVERY.map(path => provider.app.inject(path)))
  const before = await discover()
  const { send } = await requests['POST /oidc/token, refresh']()
  await proxy.set({ kind: 'refuse' })
  await sleep(KEYS_READ + 1_000)
  const during = await discover()
  t.strictSame(during.map(({ statusCode }) => statusCode), [200, 200])
  t.strictSame(during.map(({ body }) => body), before.map(({ body }) => body))
  t.equal(problemWith(await send()), undefined)
  await proxy.clear()
})

for (const [name, prepare] of Object.entries(requests)) {
  t.test(`${name}: PostgreSQL goes away at any moment, and the same request succeeds afterwards`, async t => {
    let refusals = 0
    for (let afterBytes = 0; afterBytes < MAX_BYTES; afterBytes += strideOf(name)) {
      const request = await prepare()
      await proxy.set({ kind: 'cut', afterBytes })
      const response = await request.send()
      await proxy.clear()
      const isDone = response.status === request.usual
      if (!isDone) t.equal(problemWith(response, request.isNavigation), undefined, `after ${afterBytes} bytes`)
      await mustSucceed(t, `${name}, cut after ${afterBytes} bytes`, request, isDone ? response : undefined)
      if (isDone) break
      refusals++
    }
    t.comment(`${refusals} refusals`)
  })
}
