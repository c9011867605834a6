// All code in docs/add-sign-in.md and in the README, run as it is printed: only addresses and ports are replaced.
import type { Page } from 'playwright-core'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { DEMO_USER } from '../../demo/seed.ts'
import { createUser, PASSWORD } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { newPerson, startChromium, withoutChromium } from '../support/chromium.ts'
import { startApp } from '../support/deploy/apps.ts'
import { codeBlocks, runServer } from '../support/deploy/code-blocks.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, startInstances } from '../support/deploy/instances.ts'
import { makeFolder } from '../support/folder.ts'
import { gatehouse } from '../support/process.ts'

const [proxyLocations, proxyApp, pageLocations, page, tokenRequest, tokenService] =
  codeBlocks('docs/add-sign-in.md').map(({ code }) => code) as [string, string, string, string, string, string]
const readme = codeBlocks('README.md')
const skip = withoutNginx || withoutRedis || withoutChromium
const BROWSER = { ignoreHTTPSErrors: true, extraHTTPHeaders: {} }

async function signIn (page: Page, username: string, password: string) {
  await page.fill('[name=username]', username)
  await page.fill('[name=password]', password)
  await page.click('button[type=submit]')
}

/** Two instances in production mode and nginx, on one port that PUBLIC_URL names. */
async function startHost (t: Parameters<typeof newPerson>[0], app: number, locations: string) {
  const httpsPort = await freePort()
  const url = `https://localhost:${httpsPort}`
  const { owner, settings } = await productionSettings(t)
  const { ports } = await startInstances(t, { ...settings, PUBLIC_URL: url, TOKEN_AUDIENCES: 'orders' })
  const { certificateFile } = await startFrontEnd(t, { instances: ports, app, locations, httpsPort })
  return { url, certificateFile, user: await createUser(owner, { username: 'ada' }) }
}

t.test('every block is known here', async t => {
  t.strictSame(codeBlocks('docs/add-sign-in.md').map(({ language }) => language), [
    'nginx', 'js', 'nginx', 'html', 'js', 'js',
  ])
  t.strictSame(readme.map(({ language }) => language), ['sh', 'js', 'nginx', 'sh'])
  t.equal(readme[2]?.code, proxyLocations, 'the README has the lines of docs/add-sign-in.md')
})

t.test('README.md: an app beside npm start', { skip: withoutChromium }, async t => {
  const service = gatehouse(['serve'], { PORT: '0', BCRYPT_COST: '10' }, { cwd: makeFolder(t, 'demo') })
  t.teardown(() => service.child.kill('SIGKILL'))
  const [, demo = ''] = await service.until(/Gatehouse is running at (http:\/\/localhost:\d+)/)
  const port = await runServer(t, readme[1]?.code ?? '', { 'http://localhost:3000': demo })
  const app = `http://localhost:${port}/`
  const person = await newPerson(t, await startChromium())
  const page = await person.newPage()

  await page.goto(app)
  t.equal(page.url(), `${demo}/login`)
  await signIn(page, DEMO_USER.username, DEMO_USER.password)
  await page.waitForURL(`${demo}/dashboard`)
  await page.goto(app)
  t.match(await page.textContent('body'), /^Hello demo, you are user \d+\.$/)
  t.equal((await fetch(app, { headers: { cookie: 'access_token=forged' }, redirect: 'manual' })).status, 302)

  service.child.kill('SIGINT')
  await service.ended
  t.equal((await fetch(app)).status, 503, 'an outage is no sign-out')
})

t.test('docs/add-sign-in.md: behind a reverse proxy', { skip }, async t => {
  const { url, user } = await startHost(t, await runServer(t, proxyApp), proxyLocations)
  const person = await newPerson(t, await startChromium(), BROWSER)
  const page = await person.newPage()

  await page.goto(`${url}/reports?year=2026`)
  t.equal(new URL(page.url()).pathname, '/login')
  await signIn(page, user.username, PASSWORD)
  await page.waitForURL(`${url}/reports?year=2026`)
  t.equal(await page.textContent('p'), `You are user ${user.id}.`)
  await page.click('text=Sign out')
  await page.waitForURL(`${url}/login?*`)
})

t.test('docs/add-sign-in.md: a single-page application, and a service that gets a token', { skip }, async t => {
  const app = await startApp(t, ({ url = '', headers }, response) => {
    if (url === '/api/orders') return response.end(`user ${headers['x-auth-user-id']}`)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  const { url, certificateFile, user } = await startHost(t, app, pageLocations)
  const person = await newPerson(t, await startChromium(), BROWSER)
  const [tab, other] = [await person.newPage(), await person.newPage()]

  await tab.goto(`${url}/?view=open`)
  await tab.waitForURL(/\/login\?next=/)
  await signIn(tab, user.username, PASSWORD)
  await tab.waitForURL(`${url}/?view=open`)
  await tab.waitForSelector(`pre:text("user ${user.id}")`)
  t.equal(await tab.textContent('h1'), 'Orders of ada')

  await t.test('docs/add-sign-in.md: the service accepts the token of the page, and nothing else (401)', async t => {
    const service = await runServer(t, tokenService, { 'https://auth.example.com': url }, {
      NODE_EXTRA_CA_CERTS: certificateFile,
    })
    const address = `http://127.0.0.1:${service}/`
    const said = await tab.evaluate<string>(`(async () => {
      const { createClient } = await import('/gatehouse/client.js')
      const gatehouse = createClient()
      ${tokenRequest.replace('https://orders.example.com/', address)}
      return response.text()
    })()`)
    t.equal(said, `Orders of user ${user.id}`)
    t.equal((await fetch(address)).status, 401)
    t.equal((await fetch(address, { headers: { authorization: 'Bearer x.y.z' } })).status, 401)
  })

  await t.test('docs/add-sign-in.md: a sign-out ends the session in all tabs', async t => {
    await other.goto(url)
    await other.waitForSelector(`pre:text("user ${user.id}")`)
    await tab.click('#sign-out')
    await tab.waitForURL(/\/login\?next=/)
    await other.waitForURL(/\/login\?next=/)
    t.equal((await person.context.request.get(`${url}/api/orders`)).status(), 401)
  })
})
