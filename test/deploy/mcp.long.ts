// The MCP server of docs/mcp.md, run as it is printed (only hosts and ports are replaced), with the client of the SDK.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { startApp } from '../support/deploy/apps.ts'
import { codeBlocks, runServer } from '../support/deploy/code-blocks.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { AUTH, settingsIn, startGatehouse } from '../support/openid/recipes.ts'

const MCP = 'https://mcp.example.com'
const REPORTS = 'https://reports.example.com'
const OTHER_RESOURCE = {
  OPENID_RESOURCES: 'orders,reports',
  OPENID_RESOURCE_REPORTS_URI: REPORTS,
  OPENID_RESOURCE_REPORTS_DESCRIPTION: 'Reports',
  OPENID_RESOURCE_REPORTS_SCOPES: 'orders:read',
}
/** The document of this test is on the same machine, which production refuses. */
const NEARBY = { NODE_ENV: 'development', OPENID_DOCUMENTS_PRIVATE: 'allow' }
const codeOf = (title: string) =>
  codeBlocks('docs/mcp.md').filter(({ heading }) => heading === title).map(({ code }) => code)
const [settings = '', code = ''] = codeOf('A server')
const [command = '', open = ''] = codeOf('Assistants')

/** The user allows what the assistant asks for. Returns what the page says. */
async function allow (page: Page, address: string): Promise<string> {
  await page.goto(address)
  const button = page.locator('button:enabled', { hasText: 'Allow' })
  await button.waitFor()
  const question = await page.locator('main').innerText()
  await button.click()
  await page.getByText('You can close this page.').waitFor()
  return question
}

/** An assistant on the machine of the user, who has this page in a browser. */
async function startAssistant (t: Test, page: Page, given: object, NODE_EXTRA_CA_CERTS: string) {
  const args = ['test/support/openid/mcp-client.ts', JSON.stringify({ port: await freePort(), ...given })]
  const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS }
  const program = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => program.kill('SIGKILL'))
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? '')

  return {
    /** As if five minutes had passed. */
    expire: () => program.stdin.write('expire\n'),

    /** Returns its answer, and the question if the user was asked. */
    async call (tool: string): Promise<object> {
      program.stdin.write(`${tool}\n`)
      const line = await next()
      if (!line.open) return line
      const question = await allow(page, line.open)
      return { question, ...await next() }
    },
  }
}

t.test('docs/mcp.md: an MCP server', { skip: withoutNginx || withoutRedis || withoutChromium }, async t => {
  const port = await freePort()
  const origin = `https://127.0.0.1:${port}`
  const server = `${origin}/mcp`
  const given = settingsIn(settings.replaceAll(MCP, origin) + open)
  const gatehouse = await startGatehouse(t, { ...given, ...OTHER_RESOURCE, ...NEARBY })
  const certificates = gatehouse.allCertificates()
  const host = await gatehouse.openHost('127.0.0.1', port)
  const env = { NODE_EXTRA_CA_CERTS: certificates }
  host.leadTo(await runServer(t, code, { [AUTH]: gatehouse.url, [MCP]: origin }, env))

  const page = await gatehouse.open(t)
  await page.goto(`${gatehouse.url}/login`)
  await gatehouse.signIn(page)
  await page.waitForURL(`${gatehouse.url}/dashboard*`)

  const { id: user } = gatehouse.user
  const text = (said: string) => ({ result: [{ type: 'text', text: said }] })
  const orders = text(`One order of ${user}.`)
  const add = (line: string) => gatehouse.addApplication(line.replaceAll(MCP, origin), '')
  const disconnect = async (name: string) => {
    await page.goto(`${gatehouse.url}/dashboard/applications`)
    await page.getByRole('button', { name: `Disconnect ${name}` }).click()
    await page.locator('#question-agree').click()
    await page.getByText(`${name} was disconnected.`).waitFor()
  }
  const callDirectly = (token?: string) => page.request.post(server, {
    headers: { accept: 'application/json, text/event-stream', ...token && { authorization: `Bearer ${token}` } },
    data: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_orders' } },
  })

  await t.test('docs/mcp.md: without a token, clients learn where to get one (RFC 9728)', async t => {
    const answer = await callDirectly()
    t.equal(answer.status(), 401)
    const [, metadata = ''] = /resource_metadata="(.+?)"/.exec(answer.headers()['www-authenticate'] ?? '') ?? []
    t.strictSame(await (await page.request.get(metadata)).json(), {
      resource: server,
      authorization_servers: [gatehouse.url],
      scopes_supported: ['orders:read', 'orders:write'],
      bearer_methods_supported: ['header'],
    })
  })

  await t.test('docs/mcp.md: an assistant that operators added', async t => {
    const { CLIENT_ID: clientId } = await add(command)
    const { call, expire } = await startAssistant(t, page, { server, clientId }, certificates)
    const question = /Desktop assistant[^]*Your orders at Example[^]*See your orders[^]*Cancel your orders/
    t.match(await call('list_orders'), { question, ...orders })
    t.strictSame(await call('cancel_order'), text(`The order of ${user} is cancelled.`))
    expire()
    t.strictSame(await call('list_orders'), orders, 'it refreshes its token')

    await disconnect('Desktop assistant')
    expire()
    t.match(await call('list_orders'), { question, ...orders }, 'disconnected, it has to ask again')
  })

  await t.test('docs/mcp.md: assistants that register themselves, or have a metadata document', async t => {
    const documents = await gatehouse.openHost()
    const document = `${documents.address}/assistant.json`
    documents.leadTo(await startApp(t, (_request, response) => response.end(JSON.stringify({
      client_id: document, client_name: 'Documented assistant', redirect_uris: ['http://127.0.0.1/callback'],
    }))))
    for (const given of [{ name: 'Registered assistant' }, { name: 'Documented assistant', document }]) {
      const { name } = given
      const { call, expire } = await startAssistant(t, page, { server, ...given }, certificates)
      const question = new RegExp(`Unverified application[^]*${name}[^]*Your orders at Example[^]*Cancel your orders`)
      t.match(await call('list_orders'), { question, ...orders }, name)
      expire()
      t.strictSame(await call('list_orders'), orders, `${name} refreshes its token`)
      await disconnect(name)
      expire()
      t.match(await call('list_orders'), { question, ...orders }, `${name} asks again`)

      await gatehouse.owner.query('DELETE FROM applications WHERE name = $1', [name])
      // The instances keep what they know of an application for a second.
      await sleep(1_500)
      expire()
      t.match(await call('list_orders'), { question, ...orders }, `${name} registers again`)
    }
  })

  await t.test('docs/mcp.md: an assistant with one scope cannot use the other tool (403)', async t => {
    const { CLIENT_ID: clientId } = await add(command.replace(`${MCP}/mcp`, `'${MCP}/mcp orders:read'`))
    const { call } = await startAssistant(t, page, { server, clientId }, certificates)
    t.match(await call('list_orders'), { question: /See your orders(?![^]*Cancel your orders)/, ...orders })
    t.match(await call('cancel_order'), { error: /403/ })
    t.strictSame(await call('list_orders'), orders)
  })

  await t.test('docs/mcp.md: a token for another resource (401)', async t => {
    const tokenFor = async (resource: string) => {
      const { CLIENT_ID: id, CLIENT_SECRET: secret } =
        await add(`gatehouse app add Nightly --machine --resource '${resource} orders:read'`)
      const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
      const form = { grant_type: 'client_credentials' }
      const answer = await page.request.post(`${gatehouse.url}/oidc/token`, { headers: { authorization }, form })
      return (await answer.json()).access_token
    }
    t.equal((await callDirectly(await tokenFor(server))).status(), 200)
    const refused = await callDirectly(await tokenFor(REPORTS))
    t.equal(refused.status(), 401)
    t.match(refused.headers()['www-authenticate'], 'error="invalid_token"')
  })
})
