// The recipe of docs/openid.md for a single-page application, run as it is printed: only hosts and the client id.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { startApp } from '../support/deploy/apps.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { makeFolder } from '../support/folder.ts'
import { APP, AUTH, recipe, startGatehouse } from '../support/openid/recipes.ts'

t.test('docs/openid.md: a single-page application with oidc-client-ts', {
  skip: withoutNginx || withoutRedis || withoutChromium,
}, async t => {
  const gatehouse = await startGatehouse(t)
  const [command = '', html = '', code = ''] = recipe('Single-page application')
  const { address, leadTo } = await gatehouse.openHost('orders.localhost')
  const { CLIENT_ID, CLIENT_SECRET } = await gatehouse.addApplication(command, address)
  t.equal(CLIENT_SECRET, '')
  const input = join(makeFolder(t, 'page'), 'main.js')
  writeFileSync(input, code.replace(AUTH, gatehouse.url).replaceAll(APP, address).replace('CLIENT_ID', CLIENT_ID))
  const { output: [{ code: script }] } =
    await build({ input, write: false, resolve: { modules: [resolve('node_modules')] } })
  leadTo(await startApp(t, ({ url }, response) => {
    const isScript = url === '/main.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isScript ? script : html)
  }))

  const page = await gatehouse.open(t)
  const tokens: string[] = []
  page.on('requestfinished', async request => {
    if (request.url().endsWith('/oidc/token') && request.method() === 'POST') tokens.push(request.postData() ?? '')
  })
  await page.goto(address)
  await page.waitForURL(`${gatehouse.url}/login*`)
  await gatehouse.signIn(page)
  await page.waitForSelector('h1:text("Orders of ada, for")')
  t.equal(page.url(), `${address}/`)
  await page.reload()
  await page.waitForSelector('h1:text("Orders of ada, for")')
  t.equal(tokens.length, 1, 'the session is kept in the tab')
  t.match(tokens[0], /code_verifier=/)

  await t.test('docs/openid.md: the page refreshes its tokens', async t => {
    for (const count of [2, 3]) {
      await page.evaluate("document.querySelector('h1').textContent = ''")
      await page.click('#refresh')
      await page.waitForSelector('h1:text("Orders of ada, for")')
      t.equal(tokens.length, count)
    }
    t.match(tokens[2], /grant_type=refresh_token/)
  })

  await t.test('docs/openid.md: the page signs out, also at Gatehouse', async t => {
    await page.click('#sign-out')
    await page.waitForURL(`${gatehouse.url}/login*`)
    t.equal((await page.request.get(`${gatehouse.url}/api/auth/me`)).status(), 401)
  })

  await t.test('docs/openid.md: CORS for the origin of the application, and no other', async t => {
    const ask = (origin: string) => page.request.post(`${gatehouse.url}/oidc/token`, {
      headers: { origin },
      form: { grant_type: 'refresh_token', refresh_token: 'x', client_id: CLIENT_ID },
    })
    t.equal((await ask(address)).headers()['access-control-allow-origin'], address)
    t.equal((await ask('https://other.example')).headers()['access-control-allow-origin'], undefined)
  })
})
