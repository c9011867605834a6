// The conformance suite of the Model Context Protocol: its part for authorization servers.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { createUser } from '../../support/browser.ts'
import { makeFolder } from '../../support/folder.ts'
import { consentTo, startProvider, type Provider } from '../../support/openid/provider.ts'
import { ORDERS, RESOURCES } from '../../support/openid/resources.ts'
import { register } from '../../support/openid/self-registered.ts'

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
/** Of the package that is installed: a new version may have more, which must be listed here. */
const CHECKS = ['authorization-code-grant', 'authorization-server-metadata', 'authorization-server-metadata-cimd']

interface Check { id: string, status: string, errorMessage?: string }

/** Runs all scenarios. `visit` opens the address that the suite prints, and returns where it leads. */
async function runSuite (t: Test, args: string[], visit: (address: URL) => Promise<URL>): Promise<Check[]> {
  const folder = makeFolder(t, 'conformance')
  const suite = spawn(process.execPath, [SUITE, 'authorization', '--output-dir', folder, ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => suite.kill('SIGKILL'))
  for await (const line of createInterface({ input: suite.stdout })) {
    if (/^https?:\/\//.test(line)) await fetch(await visit(new URL(line)))
  }
  return globSync(join(folder, '**/checks.json')).flatMap(file => JSON.parse(readFileSync(file, 'utf8')))
}

/** Runs the suite for an application on this machine. Returns the checks that did not succeed. */
async function problems (
  t: Test,
  settings: Record<string, string>,
  { addApplication = addByOperator, args = ['--resource', ORDERS] } = {}
) {
  const provider = await startProvider(t, { ...RESOURCES, ...settings })
  const { username } = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(username)
  const id = await addApplication(provider)
  const fixed = ['--url', provider.issuer, '--client-id', id, '--port', String(await freePort())]
  const checks = await runSuite(t, [...fixed, ...args], address => consentTo(browser, address))
  t.strictSame(checks.map(({ id }) => id).sort(), CHECKS)
  return checks.filter(({ status }) => status !== 'SUCCESS')
}

async function addByOperator ({ addApplication }: Provider): Promise<string> {
  const redirectUris = ['http://127.0.0.1/callback']
  return (await addApplication({ kind: 'public', redirectUris, resources: [ORDERS] })).id
}

async function registerItself (provider: Provider): Promise<string> {
  const { body } = await register(provider, { redirect_uris: ['http://127.0.0.1/callback'] })
  return body.client_id
}

t.test('MCP conformance suite, OPENID_REGISTRATION=off: all but the warning that it is off', async t => {
  t.match(await problems(t, {}), [{ id: 'authorization-server-metadata-cimd', status: 'WARNING' }])
})

t.test('MCP conformance suite, OPENID_REGISTRATION=documents: all checks', async t => {
  t.strictSame(await problems(t, { OPENID_REGISTRATION: 'documents' }), [])
})

t.test('MCP conformance suite, OPENID_REGISTRATION=open: all checks, for an application that registered', async t => {
  const settings = { OPENID_REGISTRATION: 'open', OPENID_RESOURCE_ORDERS_OPEN: 'on' }
  t.strictSame(await problems(t, settings, { addApplication: registerItself }), [])
  t.strictSame(await problems(t, settings, { addApplication: registerItself, args: [] }), [], 'names no resource')
})
