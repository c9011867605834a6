import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { withoutRedis } from '../support/build.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, startInstances } from '../support/deploy/instances.ts'
import { createVisitor } from '../support/deploy/web-client.ts'
import { gatehouse } from '../support/process.ts'

const skip = withoutNginx || withoutRedis
const OF_GATEHOUSE = ['/login', '/dashboard', '/gatehouse/client.js', '/api/auth/session', '/health', '/health/live']
const OF_THE_APP = ['/', '/assets/index.js', '/api/orders', '/logins', '/healthy', '/api/authors']

async function startApp (t: Test): Promise<number> {
  const app = createServer(({ url = '' }, answer) => {
    answer.writeHead(OF_THE_APP.includes(url) ? 200 : 404).end('the app')
  }).listen(0, '127.0.0.1')
  await once(app, 'listening')
  t.teardown(() => {
    app.close()
    app.closeAllConnections()
  })
  return (app.address() as AddressInfo).port
}

/** The lines of docs/browser-client.md instead of those of nginx.conf. */
function linesOfThePage () {
  const page = readFileSync('docs/browser-client.md', 'utf8')
  const [, lines = ''] = page.match(/```nginx\n([^`]+)```/) ?? []
  const former = 'location / {\n      include gatehouse/service.conf;\n    }'
  return { 'nginx.conf': { [former]: lines.replace('your-app', 'app') } }
}

t.test('an app at / of the same host', { skip }, async t => {
  const { settings } = await productionSettings(t)
  const { ports } = await startInstances(t, settings)
  const frontEnd = await startFrontEnd(t, { instances: ports, app: await startApp(t), changes: linesOfThePage() })
  const visitor = createVisitor(frontEnd)
  t.teardown(visitor.leave)

  t.test('paths of Gatehouse lead to Gatehouse, all others to the app', async t => {
    for (const path of OF_GATEHOUSE) {
      const { status, body } = await visitor.get(path)
      t.equal(status, 200, path)
      t.not(body, 'the app', path)
    }
    for (const path of OF_THE_APP) t.equal((await visitor.get(path)).body, 'the app', path)
  })

  t.test('gatehouse doctor: PUBLIC_URL leads to the service', async t => {
    const { stdout } = await gatehouse(['doctor', '--json'], {
      ...settings,
      PUBLIC_URL: `https://localhost:${frontEnd.httpsPort}`,
      NODE_EXTRA_CA_CERTS: frontEnd.certificateFile,
    }).ended
    const { findings } = JSON.parse(stdout)
    t.match(findings.filter(({ check }: { check: string }) => check === 'front end'), [{ state: 'ok' }])
  })
})
