import t from 'tap'
import type { Page } from 'playwright-core'
import { newPerson, openHouse, startChromium, withoutChromium } from '../support/chromium.ts'

t.test('sign-in with a provider on another site', { skip: withoutChromium }, async t => {
  const { url, a, b, owner } = await openHouse(t)
  const browser = await startChromium(t)
  const person = await newPerson(t, browser)
  const page = await person.newPage()
  const WAYS = [
    ['a', a, 0],
    ['b', b, 1],
  ] as const

  const goToProvider = async (page: Page, index: number) => {
    await page.goto('about:blank')
    await person.context.clearCookies()
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Continue with provider.example' }).nth(index).click()
    await page.locator('button[value=continue]').waitFor()
    t.equal(new URL(page.url()).hostname, 'provider.example')
  }

  for (const [name, provider, index] of WAYS) {
    await t.test(`provider ${name.toUpperCase()}: the dashboard shows the user`, async t => {
      await goToProvider(page, index)
      const landing = page.waitForRequest(
        request => request.isNavigationRequest() && request.url() === `${url}/dashboard`
      )
      await page.locator('button[value=continue]').click()
      const { cookie = '' } = await (await landing).allHeaders()
      t.notMatch(cookie, 'access_token', 'the browser sends no Strict cookies here')
      await page.getByText('ada@example.org').waitFor()
      t.equal(page.url(), `${url}/dashboard`)
      t.match(await page.locator('body').innerText(), /Ada Lovelace[^]+This device[^]+this account has no password/)
      t.notOk(await page.locator('#change-password').isVisible())
      await page.reload()
      await page.getByText('ada@example.org').waitFor()
    })

    await t.test(`provider ${name.toUpperCase()}: cancelled or without an email, a message on /login`, async t => {
      await goToProvider(page, index)
      await page.locator('button[value=cancel]').click()
      await page.getByText('Signing in with provider.example failed.').waitFor()
      t.equal(page.url(), `${url}/login?error=provider_${name}_auth_failed`)

      provider.misbehave = 'no-email'
      await goToProvider(page, index)
      await page.locator('button[value=continue]').click()
      await page.getByText('provider.example did not give us a confirmed email address').waitFor()
      provider.misbehave = undefined
    })
  }

  await t.test('a social-only account is deleted without a password', async t => {
    await goToProvider(page, 0)
    await page.locator('button[value=continue]').click()
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const dialog = page.getByRole('dialog')
    t.notOk(await dialog.getByLabel('Your password').isVisible())
    await dialog.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByText('Your account and all its data have been deleted.').waitFor()
    t.equal((await owner.query('SELECT FROM users')).rowCount, 0)
  })
})
