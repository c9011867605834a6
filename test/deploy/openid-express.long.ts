// The recipe of docs/openid.md, run as it is printed: only hosts and ports are replaced.
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { runServer } from '../support/deploy/code-blocks.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { eventually } from '../support/patience.ts'
import { APP, AUTH, recipe, startGatehouse } from '../support/openid/recipes.ts'

const skip = withoutNginx || withoutRedis || withoutChromium

t.test('docs/openid.md: Express with express-openid-connect', { skip }, async t => {
  const gatehouse = await startGatehouse(t)
  const [command = '', code = ''] = recipe('Express')
  const { address, leadTo } = await gatehouse.openHost()
  leadTo(await runServer(t, code, { [AUTH]: gatehouse.url, [APP]: address }, {
    ...await gatehouse.addApplication(command, address),
    SESSION_SECRET: 'a-text-of-more-than-thirty-two-characters',
    NODE_EXTRA_CA_CERTS: gatehouse.certificateFile,
  }))
  const { page } = await gatehouse.open()
  await page.goto(address)
  t.equal(new URL(page.url()).origin, gatehouse.url)
  await gatehouse.signIn(page)
  await page.waitForURL(`${address}/`)
  t.equal(await page.textContent('p'), 'Hello ada. Sign out')
  await page.goto(`${address}/me`)
  t.match(JSON.parse(await page.textContent('pre') ?? ''), { sub: gatehouse.user.id, email: 'ada@example.com' })

  await t.test('docs/openid.md: a sign-out at Gatehouse reaches the application', async t => {
    const tab = await page.context().newPage()
    await tab.goto(`${gatehouse.url}/logout`)
    await tab.click('main button[type=submit], form button')
    await tab.waitForURL(/login/)
    await eventually(async () => (await page.goto(address))?.url() ?? '', url => url.startsWith(gatehouse.url), 5_000)
    await gatehouse.signIn(page)
    await page.waitForURL(`${address}/`)
  })

  await t.test('docs/openid.md: a sign-out at the application ends the session at Gatehouse', async t => {
    await page.click('text=Sign out')
    await page.waitForURL(url => url.pathname === '/login')
    t.equal((await page.request.get(`${gatehouse.url}/api/auth/me`)).status(), 401)
  })
})
