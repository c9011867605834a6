import puppeteer from 'puppeteer-core'
import type { Test } from 'tap'
import { isInstalled } from '../../../demo/programs.ts'
import { complaints } from '../chromium.ts'
import type { Engine } from './engine.ts'

/** Why the tests in Firefox are skipped, or false. In CI a skipped test counts as failed. */
export const withoutFirefox = isInstalled('firefox-esr')
  ? false
  : 'NO firefox-esr ON THIS MACHINE: THE TESTS IN FIREFOX DID NOT RUN'

export async function openFirefox (t: Test): Promise<Engine> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    extraPrefsFirefox: { 'intl.accept_languages': 'en-GB' },
  })
  t.teardown(() => browser.close())
  return {
    device: 'Firefox on Linux',
    async newTab () {
      const page = await browser.newPage()
      page.on('pageerror', error => complaints.push(String(error)))
      return {
        open: url => page.goto(url),
        url: async () => page.url(),
        run: async <T>(expression: string) => await page.evaluate(expression) as T,
        click: selector => page.click(selector),
        fill: (selector, value) => page.locator(selector).fill(value),
        back: () => page.goBack({ waitUntil: [] }),
        bringToFront: () => page.bringToFront(),
      }
    },
    cookies: async () => (await browser.cookies()).map(({ name }) => name),
    async deleteCookie (name) {
      await browser.deleteCookie(...(await browser.cookies()).filter(cookie => cookie.name === name))
    },
  }
}
