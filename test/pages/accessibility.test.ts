import t from 'tap'
import type { Page } from 'playwright-core'
import { createBrowser, createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violationsInBothColors } from '../support/pages/axe.ts'

t.test('every page: axe finds nothing, light and dark', { skip: withoutChromium }, async t => {
  const house = await openService(t, { BRAND_COLOR: '#ffb000' })
  const { url, app, owner } = house
  const browser = await startChromium()
  const user = await createUser(owner, { name: 'Ada Lovelace' })
  // Without transitions, which axe would measure half-way.
  const calm = { reducedMotion: 'reduce' } as const
  const visitor = await newPerson(t, browser, calm)
  const account = await newPerson(t, browser, calm)
  await createBrowser(app, {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/18.5 Mobile/15E148 Safari/604.1',
  }).signIn(user.username)
  await createBrowser(app).signIn(user.username, 'wrong')
  await account.signIn(house, user.username)
  const [page, own] = [await visitor.newPage(), await account.newPage()]

  const STATES: Record<string, () => Promise<Page>> = {
    async login () {
      await page.goto(`${url}/login?error=callback_failed`)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.locator('.complaint').first().waitFor()
      return page
    },
    async register () {
      await page.goto(`${url}/register`)
      await page.locator('#new-password').fill('Password1!')
      await page.locator('#strength[data-score="1"], #strength[data-score="0"]').waitFor()
      return page
    },
    async 'verify-email, with a link' () {
      await page.goto('about:blank')
      await page.goto(`${url}/verify-email#token=x`)
      await page.getByRole('button', { name: 'Confirm my address' }).waitFor()
      return page
    },
    async 'verify-email' () {
      await page.goto(`${url}/verify-email`)
      await page.getByLabel('Email').fill('x@example.com')
      await page.getByRole('button', { name: 'Send a new link' }).click()
      await page.getByText('a new link is on its way.').waitFor()
      return page
    },
    async 'reset-password' () {
      await page.goto(`${url}/reset-password`)
      await page.getByLabel('Email').waitFor()
      return page
    },
    async 'reset-password, with a link' () {
      await page.goto('about:blank')
      await page.goto(`${url}/reset-password#token=x`)
      await page.locator('#new-password').fill('gl4ss-Harmonica-7!')
      await page.locator('#strength[data-score="4"]').waitFor()
      return page
    },
    async logout () {
      await page.goto(`${url}/logout`)
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      return page
    },
    async 'a page that does not exist' () {
      visitor.expect('404 /nowhere')
      await page.goto(`${url}/nowhere`)
      return page
    },
    async dashboard () {
      await own.goto(`${url}/dashboard`)
      await own.getByText(user.email).first().waitFor()
      return own
    },
    async 'dashboard, with the open forms' () {
      for (const name of ['Change Name', 'Change Email address', 'Change Language and time zone']) {
        await own.getByRole('button', { name }).click()
      }
      return own
    },
    async 'dashboard, security' () {
      await own.goto(`${url}/dashboard/security`)
      await own.getByRole('button', { name: 'Change password' }).click()
      return own
    },
    async 'dashboard, devices' () {
      await own.goto(`${url}/dashboard/devices`)
      await own.locator('#devices li').first().waitFor()
      return own
    },
    async 'dashboard, applications' () {
      await own.goto(`${url}/dashboard/applications`)
      await own.getByText('No application is connected to your account.').waitFor()
      return own
    },
    async 'dashboard, data' () {
      await own.goto(`${url}/dashboard/data`)
      await own.getByRole('button', { name: 'Download my data' }).waitFor()
      return own
    },
    async 'dashboard, with the confirmation' () {
      await own.getByRole('button', { name: 'Delete my account' }).click()
      await own.getByRole('dialog').waitFor()
      return own
    },
  }

  for (const [name, open] of Object.entries(STATES)) {
    await t.test(name, async t => {
      const page = await open()
      await page.bringToFront()
      t.strictSame(await violationsInBothColors(page), [])
      await page.setViewportSize({ width: 320, height: 640 })
      t.equal(
        await page.evaluate(() => document.documentElement.scrollWidth),
        320,
        'nothing is cut off on a small phone'
      )
      await page.setViewportSize({ width: 1280, height: 720 })
    })
  }
})
