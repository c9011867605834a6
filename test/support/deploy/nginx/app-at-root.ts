import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import type { Test } from 'tap'
import { gatehouse } from '../../process.ts'
import { startApp } from '../apps.ts'
import { startFrontEnd } from '../front-end.ts'
import { createVisitor } from '../web-client.ts'
import type { Deployment } from './deployment.ts'

const OF_GATEHOUSE = ['/login', '/dashboard', '/gatehouse/client.js', '/api/auth/session', '/health', '/health/live']
const OF_THE_APP = ['/', '/assets/index.js', '/api/orders', '/logins', '/healthy', '/api/authors']

/** Redirects /old to its own address, as the frameworks do that build addresses from `Host`. */
const app: RequestListener = ({ url = '', headers }, answer) => {
  if (url === '/old') answer.writeHead(302, { location: `https://${headers.host}/` }).end()
  else if (url === '/cookies') answer.end(headers.cookie)
  else answer.writeHead(OF_THE_APP.includes(url) ? 200 : 404).end('the app')
}

/** The line of docs/deploy.md for site/app.conf. */
const [LOCATIONS] = readFileSync('docs/deploy.md', 'utf8').match(/^include gatehouse\/app-at-root\.conf;$/m) ?? []

export async function testAppAtRoot (t: Test, { behind, settings }: Deployment) {
  const frontEnd = await startFrontEnd(t, { ...behind, app: await startApp(t, app), locations: LOCATIONS })
  const visitor = createVisitor(frontEnd)
  t.teardown(visitor.leave)

  await t.test('paths of Gatehouse lead to Gatehouse, all others to the app', async t => {
    for (const path of OF_GATEHOUSE) {
      const { status, body } = await visitor.get(path)
      t.equal(status, 200, path)
      t.not(body, 'the app', path)
    }
    for (const path of OF_THE_APP) t.equal((await visitor.get(path)).body, 'the app', path)
  })

  await t.test('a redirect of the app keeps the port', async t => {
    const host = `localhost:${frontEnd.httpsPort}`
    t.match(await visitor.get('/old', { host }), { status: 302, headers: { location: `https://${host}/` } })
    t.match(await visitor.get('/old'), { status: 302, headers: { location: 'https://localhost/' } })
  })

  await t.test('the app does not get the refresh token', async t => {
    t.equal((await visitor.get('/cookies', { cookie: 'a=1; refresh_token=x' })).body, 'a=1')
  })

  await t.test('gatehouse doctor: PUBLIC_URL leads to the service', async t => {
    const { stdout } = await gatehouse(['doctor', '--json'], {
      ...settings,
      PUBLIC_URL: `https://localhost:${frontEnd.httpsPort}`,
      NODE_EXTRA_CA_CERTS: frontEnd.certificateFile,
    }).ended
    const { findings } = JSON.parse(stdout)
    t.match(findings.filter(({ check }: { check: string }) => check === 'front end'), [{ state: 'ok' }])
  })
}
