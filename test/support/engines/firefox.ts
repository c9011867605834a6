import puppeteer from 'puppeteer-core'
import type { Test } from 'tap'
import { isInstalled } from '../../../demo/programs.ts'
import { complaints } from '../chromium.ts'
import type { Engine, EngineOptions } from './engine.ts'

/** As Firefox counts them. */
const SCHEMES = { dark: 0, light: 1 }

/** Why the tests in Firefox are skipped, or false. In CI a skipped test counts as failed. */
export const withoutFirefox = isInstalled('firefox-esr')
  ? false
  : 'NO firefox-esr ON THIS MACHINE: THE TESTS IN FIREFOX DID NOT RUN'

export async function openFirefox (t: Test, { scheme }: EngineOptions = {}): Promise<Engine> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    extraPrefsFirefox: {
      'intl.accept_languages': 'en-GB',
      ...scheme && {
        'layout.css.prefers-color-scheme.content-override': SCHEMES[scheme],
        'ui.prefersReducedMotion': 1,
      },
    },
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
        resize: (width, height) => page.setViewport({ width, height }),
        picture: part => page.screenshot({ fullPage: part === 'whole' }),
      }
    },
    cookies: async () => (await browser.cookies()).map(({ name }) => name),
    addCookie: cookie => browser.setCookie(cookie),
    async deleteCookie (name) {
      await browser.deleteCookie(...(await browser.cookies()).filter(cookie => cookie.name === name))
    },
  }
}
