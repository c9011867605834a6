import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { DEMO_USER } from '../../demo/seed.ts'
import { newPerson, startChromium, withoutChromium } from '../support/chromium.ts'
import { folderWith } from '../support/folder.ts'
import { gatehouse } from '../support/process.ts'

/** Written by version 0.2, which had no application. */
const SECRETS_OF_0_2 = Object.fromEntries(
  ['owner', 'service', 'jwt', 'provider'].map(name => [name, randomBytes(64).toString('base64url')]))

t.test('embedded stack: the demo user signs in to the demo application, and signs out', {
  skip: withoutChromium,
}, async t => {
  const cwd = folderWith(t, { '.data/secrets.json': JSON.stringify(SECRETS_OF_0_2) })
  const { child, ended, until } = gatehouse(['serve'], { PORT: String(await freePort()), BCRYPT_COST: '10' }, { cwd })
  t.teardown(async () => {
    child.kill('SIGINT')
    await ended
  })
  const [, service = ''] = await until(/Gatehouse is running at (\S+)/)
  const [, application = ''] = await until(/Application +(\S+)/)
  t.match(JSON.parse(readFileSync(join(cwd, '.data/secrets.json'), 'utf8')), SECRETS_OF_0_2)
  const page = await (await newPerson(t, await startChromium(t))).newPage()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  await page.goto(application)
  await press('Sign in with Gatehouse')
  await page.getByLabel('Username or email').fill(DEMO_USER.username)
  await page.getByLabel('Password', { exact: true }).fill(DEMO_USER.password)
  await press('Sign in')
  await page.getByText('Orders', { exact: true }).waitFor()
  await press('Allow')
  await page.getByRole('heading', { name: `You are ${DEMO_USER.name}` }).waitFor()
  t.equal(page.url(), `${application}/`)
  await press('Refresh the tokens')
  await page.getByText('Refreshed: new access token').waitFor()
  await press('Ask for the user')
  await page.getByText('as the userinfo endpoint says').waitFor()

  await t.test('demo application: the next sign-in opens no page', async () => {
    await press('Sign out here only')
    await press('Sign in with Gatehouse')
    await page.getByRole('heading', { name: `You are ${DEMO_USER.name}` }).waitFor()
  })

  await t.test('demo application: an open page notices a sign-out at Gatehouse', async t => {
    const dashboard = await page.context().newPage()
    await dashboard.goto(`${service}/dashboard`)
    await dashboard.locator('#account').waitFor()
    await dashboard.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('A back-channel logout arrived').waitFor()
    t.ok(await page.getByRole('heading', { name: 'You are signed out here' }).isVisible())
  })

  await t.test('demo application: sign out everywhere leads back, signed out at Gatehouse too', async t => {
    await press('Sign in with Gatehouse')
    await page.getByLabel('Username or email').fill(DEMO_USER.username)
    await page.getByLabel('Password', { exact: true }).fill(DEMO_USER.password)
    await press('Sign in')
    // On a slow network the page that is left would notice it first.
    await page.route(`${application}/sign-out-everywhere`, async route => {
      const response = await route.fetch({ maxRedirects: 0 })
      await sleep(3_000)
      await route.fulfill({ response })
    })
    await press('Sign out everywhere')
    await page.getByRole('heading', { name: 'You are signed out here' }).waitFor()
    t.equal((await page.request.get(`${service}/api/auth/me`)).status(), 401)
  })
})
