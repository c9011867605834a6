// The conformance suite of the Model Context Protocol: its part for authorization servers.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { createUser } from '../../support/browser.ts'
import { makeFolder } from '../../support/folder.ts'
import { consentTo, startProvider } from '../../support/openid/provider.ts'
import { ORDERS, RESOURCES } from '../../support/openid/resources.ts'

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
async function problems (t: Test, settings: Record<string, string>) {
  const provider = await startProvider(t, { ...RESOURCES, ...settings })
  const { username } = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(username)
  const { id } = await provider.addApplication({
    kind: 'public', redirectUris: ['http://127.0.0.1/callback'], resources: [ORDERS],
  })
  const port = String(await freePort())
  const args = ['--url', provider.issuer, '--client-id', id, '--port', port, '--resource', ORDERS]
  const checks = await runSuite(t, args, address => consentTo(browser, address))
  t.strictSame(checks.map(({ id }) => id).sort(), CHECKS)
  return checks.filter(({ status }) => status !== 'SUCCESS')
}

t.test('MCP conformance suite: authorization servers', async t => {
  t.match(await problems(t, {}), [
    // Registration by documents is off by default.
    { id: 'authorization-server-metadata-cimd', status: 'WARNING' },
  ])
})
