import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { createUser } from '../browser.ts'
import { newPerson, type Service } from '../chromium.ts'
import { addAuthenticator } from './virtual-authenticator.ts'

/**
 * A new user on the dashboard, in a browser with a virtual authenticator. Closed with the test: an authenticator waits
 * while another page is in front.
 */
export async function arriveWithAuthenticator (t: Test, service: Service, browser: Browser, options = {}) {
  const user = await createUser(service.owner, { name: 'Ada Lovelace' })
  const person = await newPerson(t, browser, { reducedMotion: 'reduce', ...options })
  await person.signIn(service, user.username)
  const page = await person.newPage()
  const authenticator = await addAuthenticator(page)
  await page.goto(`${service.url}/dashboard/security`)
  await page.getByText(user.email).first().waitFor()
  return { user, person, page, authenticator }
}

/** Adds a passkey on the dashboard, in English or German. */
export async function addPasskey (page: Page, name = 'Laptop') {
  await page.getByRole('button', { name: /^(Add a passkey|Passkey hinzufügen)$/ }).click()
  await page.locator('#passkey-name').fill(name)
  await page.keyboard.press('Enter')
  await page.locator('#factors-notice[data-kind=success]').filter({ hasText: name }).waitFor()
}

/** The login page, in a browser that has a passkey of a new user. The autofill waits. */
export async function arriveAtLogin (t: Test, service: Service, browser: Browser, options = {}) {
  const arrived = await arriveWithAuthenticator(t, service, browser, options)
  const { person, page, authenticator } = arrived
  await addPasskey(page)
  await person.context.clearCookies()
  await authenticator.setPresence(false)
  await page.addInitScript(() => {
    const { credentials } = navigator
    const get = credentials.get.bind(credentials)
    let count = 0
    credentials.get = options => {
      count += 1
      document.documentElement.dataset.passkeyRequests = String(count)
      return get(options)
    }
  })
  await page.goto(`${service.url}/login?next=/dashboard%23password`)
  await passkeyRequest(page, 1)
  return arrived
}

/**
 * Waits until the page of `arriveAtLogin` has asked the browser for a passkey so many times. A request that begins
 * when the user is already present would end at once.
 */
export const passkeyRequest = (page: Page, count: number) =>
  page.locator(`html[data-passkey-requests="${count}"]`).waitFor()
