import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import { freePort } from '../../demo/free-port.ts'
import { DEMO_USER } from '../../demo/seed.ts'
import { newPerson, startChromium, withoutChromium } from '../support/chromium.ts'
import { folderWith } from '../support/folder.ts'
import { addPasskey } from '../support/pages/passkeys.ts'
import { addAuthenticator } from '../support/pages/virtual-authenticator.ts'
import { gatehouse } from '../support/process.ts'

/** Written by version 0.2, which had no application. */
const SECRETS_OF_0_2 = Object.fromEntries(
  ['owner', 'service', 'jwt', 'provider'].map(name => [name, randomBytes(64).toString('base64url')]))

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function signIn (page: Page) {
  await page.getByLabel('Username or email').fill(DEMO_USER.username)
  await page.getByLabel('Password', { exact: true }).fill(DEMO_USER.password)
  await press(page, 'Sign in')
}

t.test('embedded stack', { skip: withoutChromium }, async t => {
  const cwd = folderWith(t, { '.data/secrets.json': JSON.stringify(SECRETS_OF_0_2) })
  const stack = gatehouse(['serve'], { PORT: String(await freePort()), BCRYPT_COST: '10' }, { cwd })
  t.teardown(async () => {
    stack.child.kill('SIGINT')
    await stack.ended
  })
  const [, service = ''] = await stack.until(/Gatehouse is running at (\S+)/)
  const [, application = ''] = await stack.until(/Application +(\S+)/)
  const [, invitation = ''] = await stack.until(/add one: (http:\/\/localhost:\d+\/dashboard#factors)/)
  t.match(JSON.parse(readFileSync(join(cwd, '.data/secrets.json'), 'utf8')), SECRETS_OF_0_2)
  const browser = await startChromium()

  await t.test('the demo user signs in to the demo application, and signs out', async t => {
    const page = await (await newPerson(t, browser)).newPage()
    await page.goto(application)
    await press(page, 'Sign in with Gatehouse')
    await signIn(page)
    await page.getByText('Orders', { exact: true }).waitFor()
    await press(page, 'Allow')
    await page.getByRole('heading', { name: `You are ${DEMO_USER.name}` }).waitFor()
    t.equal(page.url(), `${application}/`)
    await press(page, 'Refresh the tokens')
    await page.getByText('Refreshed: new access token').waitFor()
    await press(page, 'Ask for the user')
    await page.getByText('as the userinfo endpoint says').waitFor()

    await t.test('demo application: the next sign-in opens no page', async () => {
      await press(page, 'Sign out here only')
      await press(page, 'Sign in with Gatehouse')
      await page.getByRole('heading', { name: `You are ${DEMO_USER.name}` }).waitFor()
    })

    await t.test('demo application: an open page notices a sign-out at Gatehouse', async t => {
      const dashboard = await page.context().newPage()
      await dashboard.goto(`${service}/dashboard`)
      await dashboard.locator('#account').waitFor()
      await press(dashboard, 'Sign out')
      await page.getByText('A back-channel logout arrived').waitFor()
      t.ok(await page.getByRole('heading', { name: 'You are signed out here' }).isVisible())
    })

    await t.test('demo application: sign out everywhere leads back, signed out at Gatehouse too', async t => {
      await press(page, 'Sign in with Gatehouse')
      await signIn(page)
      // On a slow network the page that is left would notice it first: it asks every second whether something is new.
      await page.route(`${application}/sign-out-everywhere`, async route => {
        const response = await route.fetch({ maxRedirects: 0 })
        for (let times = 0; times < 2; times++) await page.waitForResponse(`${application}/count`)
        await route.fulfill({ response })
      })
      await press(page, 'Sign out everywhere')
      await page.getByRole('heading', { name: 'You are signed out here' }).waitFor()
      t.equal((await page.request.get(`${service}/api/auth/me`)).status(), 401)
    })
  })

  await t.test('the demo user adds a passkey at http://localhost, and signs in with it', async t => {
    const page = await (await newPerson(t, browser)).newPage()
    const authenticator = await addAuthenticator(page)
    await page.goto(invitation)
    await signIn(page)
    await page.waitForURL(invitation)
    await addPasskey(page)
    await authenticator.setPresence(false)
    await press(page, 'Sign out')
    await page.getByText('You are signed out.').waitFor()
    const login = page.url()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await page.goto('about:blank')
    await authenticator.setPresence(true)
    // From here on, the authenticator answers the request for autofill by itself.
    await page.goto(login, { waitUntil: 'commit' })
    await page.getByText(DEMO_USER.email).first().waitFor()
  })
})
