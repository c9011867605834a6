// Recipes of docs/openid.md for Apache, run as they are printed: only hosts, ports and certificates are replaced.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { startApp } from '../support/deploy/apps.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { startApache, withoutApache } from '../support/openid/apache.ts'
import { APP, AUTH, recipe, startGatehouse } from '../support/openid/recipes.ts'
import { eventually } from '../support/patience.ts'

t.test('Apache with mod_auth_openidc and mod_oauth2', {
  skip: withoutApache || withoutNginx || withoutRedis || withoutChromium,
}, async t => {
  const gatehouse = await startGatehouse(t)
  const port = await freePort()
  const address = `https://127.0.0.1:${port}`
  const app = await startApp(t, ({ url, headers }, response) => response.end(JSON.stringify({ url, headers })))
  const [command = '', site = ''] = recipe('Apache')
  const [apiCommand = '', api = ''] = recipe('An API behind Apache')
  const { CLIENT_ID: API_ID, CLIENT_SECRET: API_SECRET } = await gatehouse.addApplication(apiCommand, address)
  const printed = site.replace('</VirtualHost>', `${api}</VirtualHost>`)
    .replace('introspect.auth', 'introspect.ssl_verify=false&introspect.auth')
    .replaceAll(AUTH, gatehouse.url)
    .replaceAll(APP, address)
    .replace('*:443', `*:${port}`)
    .replace('orders.example.com', '127.0.0.1')
    .replaceAll('/etc/ssl/orders', gatehouse.applicationFolder)
    .replace('127.0.0.1:8080', `127.0.0.1:${app}`)
  const apache = await startApache(t, {
    site: printed,
    port,
    certificate: readFileSync(gatehouse.certificateFile, 'utf8'),
    env: {
      ...await gatehouse.addApplication(command, address),
      API_ID,
      API_SECRET,
      SESSION_SECRET: 'a-text-of-more-than-thirty-two-characters',
    },
  })
  const page = await gatehouse.open(t)
  const received = async () => JSON.parse(await page.textContent('body') ?? '')

  await page.goto(`${address}/report?year=2026`)
  t.equal(new URL(page.url()).origin, gatehouse.url, apache.log())
  await gatehouse.signIn(page)
  await page.waitForURL(`${address}/report?year=2026`)
  const { url, headers } = await received()
  t.equal(url, '/report?year=2026')
  t.match(headers, {
    oidc_claim_sub: gatehouse.user.id,
    oidc_claim_preferred_username: 'ada',
    oidc_claim_email: 'ada@example.com',
  })
  const forged = await page.request.get(address, { headers: { oidc_claim_sub: '1', oidc_claim_role: 'root' } })
  t.equal((await forged.json()).headers.oidc_claim_sub, gatehouse.user.id)
  t.notMatch(await forged.text(), 'root', 'forged claims are dropped')

  await t.test('docs/openid.md: the API takes the access token, and nothing else (401)', async t => {
    const ask = (token: string) => page.request.get(`${address}/api/orders`, {
      headers: { authorization: `Bearer ${token}`, oauth2_claim_sub: '1', oauth2_claim_role: 'root' },
    })
    const answer = await ask(headers.oidc_access_token)
    t.equal(answer.status(), 200, apache.log())
    const { headers: passed } = await answer.json()
    t.equal(passed.oauth2_claim_sub, gatehouse.user.id)
    t.notOk('oauth2_claim_role' in passed, 'forged claims are dropped')
    t.equal((await ask('wrong')).status(), 401)
  })

  await t.test('docs/openid.md: a sign-out at Gatehouse reaches Apache and the API', async t => {
    await page.goto(`${gatehouse.url}/logout`)
    await page.click('main button')
    await page.waitForURL(`${gatehouse.url}/login*`)
    await eventually(async () => (await page.goto(address))?.url() ?? '', url => url.startsWith(gatehouse.url))
    const ask = async () => (await page.request.get(`${address}/api/orders`, {
      headers: { authorization: `Bearer ${headers.oidc_access_token}` },
    })).status()
    t.equal(await eventually(ask, status => status === 401), 401)
  })

  await t.test('docs/openid.md: a sign-out at Apache ends the session at Gatehouse', async t => {
    await gatehouse.signIn(page)
    await page.waitForURL(`${address}/`)
    await page.goto(`${address}/callback?logout=${encodeURIComponent(`${address}/`)}`)
    await page.waitForURL(`${gatehouse.url}/login*`)
    t.equal((await page.request.get(`${gatehouse.url}/api/auth/me`)).status(), 401)
  })
})
