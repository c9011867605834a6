import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { violations } from './axe.ts'

/** The buttons that end a dialog and cannot be seen, because it is longer than the window. */
const hiddenAnswers = (page: Page) => page.locator('dialog[open] .answers button:visible').evaluateAll(buttons =>
  buttons.filter(button => button.getBoundingClientRect().bottom > innerHeight).map(button => button.textContent))

/** Light and dark, and on a narrow screen: axe finds nothing, and nothing is cut off. */
export async function checkLooks (t: Test, page: Page) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.strictSame(await violations(page), [], colorScheme)
  }
  await page.setViewportSize({ width: 320, height: 640 })
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, 'nothing is cut off')
  t.strictSame(await hiddenAnswers(page), [], 'the buttons of a dialog are in view')
  await page.setViewportSize({ width: 1280, height: 720 })
}
