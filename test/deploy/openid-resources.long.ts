// Recipes of docs/openid.md with an API, run as they are printed: only hosts and ports are replaced.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { runServer } from '../support/deploy/code-blocks.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { APP, AUTH, recipe, settingsIn, startGatehouse } from '../support/openid/recipes.ts'
import { addTotp } from '../support/second-factor.ts'

const API = 'https://api.example.com'

t.test('docs/openid.md: recipes with an API', { skip: withoutNginx || withoutRedis || withoutChromium }, async t => {
  const [settings = '', command = '', apiCode = '', code = ''] = recipe('Step-up for one action')
  const port = await freePort()
  const api = `https://127.0.0.1:${port}`
  const gatehouse = await startGatehouse(t, settingsIn(settings.replace(API, api)))
  const NODE_EXTRA_CA_CERTS = gatehouse.allCertificates()
  const apiHost = await gatehouse.openHost('127.0.0.1', port)
  apiHost.leadTo(await runServer(t, apiCode, { [AUTH]: gatehouse.url, [API]: api }, { NODE_EXTRA_CA_CERTS }))

  await t.test('docs/openid.md: a step-up for one action', async t => {
    const { address, leadTo } = await gatehouse.openHost()
    leadTo(await runServer(t, code, { [AUTH]: gatehouse.url, [APP]: address, [API]: api }, {
      ...await gatehouse.addApplication(command.replaceAll(API, api), address),
      SESSION_SECRET: 'a-text-of-more-than-thirty-two-characters',
      NODE_EXTRA_CA_CERTS,
    }))
    const page = await gatehouse.open(t)
    await page.goto(address)
    await gatehouse.signIn(page)
    await page.waitForURL(`${address}/`)
    t.equal(await page.textContent('p'), 'You have one order.', 'reading needs nothing more')
    await page.click('text=Cancel the order')
    await page.getByText('Set up a second factor first.').waitFor()

    const totp = await addTotp(gatehouse.owner, gatehouse.user.id)
    await page.goto(address)
    await page.click('text=Cancel the order')
    await page.waitForURL(`${gatehouse.url}/oidc/interaction/*/confirm*`)
    await page.fill('[name=code]', await totp.freshCode())
    await page.keyboard.press('Enter')
    await page.waitForURL(`${address}/cancel`)
    t.equal(await page.textContent('p'), 'The order is cancelled.')
    await page.goto(`${address}/cancel`)
    t.equal(await page.textContent('p'), 'The order is cancelled.', 'the proof counts for five minutes')
  })

  await t.test('docs/openid.md: a machine', async t => {
    const [command = '', code = ''] = recipe('A machine')
    const registered = await gatehouse.addApplication(command.replaceAll(API, api), '')
    const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS, ...registered }
    const source = code.replaceAll(AUTH, gatehouse.url).replaceAll(API, api)
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source], { env })
    t.equal(stdout, '200 You have one order.\n')
  })
})
