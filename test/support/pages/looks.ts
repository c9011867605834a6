import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { violations } from './axe.ts'

/** Light and dark, and on a narrow screen: axe finds nothing, and nothing is cut off. */
export async function checkLooks (t: Test, page: Page) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.strictSame(await violations(page), [], colorScheme)
  }
  await page.setViewportSize({ width: 320, height: 640 })
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, 'nothing is cut off')
  await page.setViewportSize({ width: 1280, height: 720 })
}
