import t from 'tap'
import type { Page } from 'playwright-core'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { addPasskey, arriveWithAuthenticator } from '../support/pages/passkeys.ts'
import { addAuthenticator } from '../support/pages/virtual-authenticator.ts'
import { eventually } from '../support/patience.ts'

const focused = (page: Page) => page.locator(':focus').getAttribute('id')
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

t.test('/dashboard, passkeys', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { owner } = service
  const browser = await startChromium()

  await t.test('added, renamed and removed with the keyboard; the browser forgets it', async t => {
    const { page, authenticator } = await arriveWithAuthenticator(t, service, browser)
    await page.getByRole('button', { name: 'Add a passkey' }).focus()
    await page.keyboard.press('Enter')
    await dialogOf(page, 'Name of the passkey').waitFor()
    t.equal(await focused(page), 'passkey-name')
    await checkLooks(t, page)
    await page.keyboard.type(' ')
    await page.keyboard.press('Enter')
    await page.getByText('Please check this field.').waitFor()
    await page.keyboard.type('Laptop')
    await page.keyboard.press('Enter')
    await page.getByText('The passkey “Laptop” has been added.').waitFor()
    t.equal((await authenticator.credentials()).length, 1)
    t.ok(await page.getByText('0 codes are left.').isVisible(), 'recovery codes can be created')
    await checkLooks(t, page)

    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    await page.keyboard.type('<b>Desk</b>')
    await page.keyboard.press('Enter')
    await page.getByText('The passkey is now called “<b>Desk</b>”.').waitFor()
    t.equal(await focused(page), 'factors-title')
    await page.getByRole('button', { name: 'Remove <b>Desk</b>' }).click()
    await dialogOf(page, 'Remove the passkey “<b>Desk</b>”?').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The passkey “<b>Desk</b>” has been removed.').waitFor()
    t.equal(await page.locator('#passkeys li').count(), 0)
    t.equal(await focused(page), 'factors-title')
    await eventually(authenticator.credentials, found => found.length === 0)
  })

  await t.test('cancelled at the name or at the device: no message, nothing added', async t => {
    const { page, authenticator } = await arriveWithAuthenticator(t, service, browser)
    const add = page.getByRole('button', { name: 'Add a passkey' })
    await add.click()
    await page.keyboard.press('Escape')
    t.notOk(await page.getByRole('dialog').isVisible())
    await authenticator.setVerified(false)
    await add.click()
    await page.keyboard.press('Enter')
    await eventually(() => add.getAttribute('aria-busy'), busy => busy === 'false')
    t.equal(await page.locator('#factors-notice').innerText(), '')
    t.equal(await page.locator('#passkeys li').count(), 0)
    t.equal(await focused(page), 'add-passkey')
  })

  await t.test('a second one on the same device: refused by the browser with a message', async t => {
    const { page } = await arriveWithAuthenticator(t, service, browser)
    await addPasskey(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.keyboard.press('Enter')
    await page.getByText('This device already has a passkey for your account.').waitFor()
    t.equal(await page.locator('#factors-notice').getAttribute('data-kind'), 'failure')
  })

  await t.test('refused by the service: a message, and the browser forgets it', async t => {
    const { person, page, authenticator } = await arriveWithAuthenticator(t, service, browser)
    person.expect('400 /api/auth/factors/passkeys')
    await page.route('**/api/auth/factors/passkeys', async route => {
      const body = route.request().postDataJSON()
      body.response.response.clientDataJSON = Buffer.from('{}').toString('base64url')
      await route.continue({ postData: JSON.stringify(body) })
    })
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.keyboard.press('Enter')
    await page.getByText('This passkey could not be added. Please try again.').waitFor()
    await eventually(authenticator.credentials, found => found.length === 0)
  })

  await t.test('the browser learns what became of the account, from another device', async t => {
    const { user, page, authenticator } = await arriveWithAuthenticator(t, service, browser)
    await addPasskey(page)
    t.match(await authenticator.credentials(), [{ userName: user.username, userDisplayName: 'Ada Lovelace' }])
    await owner.query("UPDATE users SET name = 'Ada King' WHERE id = $1", [user.id])
    await page.reload()
    await eventually(authenticator.credentials, ([found]) => found?.userDisplayName === 'Ada King')
    await owner.query('DELETE FROM passkeys WHERE user_id = $1', [user.id])
    await page.reload()
    await eventually(authenticator.credentials, found => found.length === 0)
  })
})

t.test('SECOND_FACTOR=required: a passkey is enough, and leads to the requested page', {
  skip: withoutChromium,
}, async t => {
  const { url, owner } = await openService(t, { SECOND_FACTOR: 'required' })
  const user = await createUser(owner)
  const person = await newPerson(t, await startChromium())
  const page = await person.newPage()
  const authenticator = await addAuthenticator(page)
  await page.goto(`${url}/login?next=/register%3Fx=1`)
  await page.getByLabel('Username or email').fill(user.username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/register?x=1`)
  await person.context.clearCookies()
  t.equal((await authenticator.credentials()).length, 1)
  await page.goto(`${url}/login`)
  await page.getByText(user.email).first().waitFor()
})
