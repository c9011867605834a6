// npx node test/pages/film.ts: docs/images/first-minute.gif, the first minute with the service, for the README.
// It needs Chromium and ImageMagick (`apt-get install chromium imagemagick`).
import { execFileSync } from 'node:child_process'
import { rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import { startChromium } from '../support/chromium.ts'
import { WITH_MAIL } from '../support/mail-sign-in.ts'
import { KNOWN_PROVIDERS, openGallery } from '../support/pages/gallery.ts'

const FILE = 'docs/images/first-minute.gif'
const VIEWPORT = { width: 1000, height: 860 }
/** In hundredths of a second, as ImageMagick counts. */
const [SHORT, LONG] = [90, 220]

t.setTimeout(300_000)
t.test('film', { timeout: 300_000 }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-film-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const gallery = await openGallery(t, { ...KNOWN_PROVIDERS, ...WITH_MAIL })
  const frames: string[] = []

  async function shoot (page: Page, delay: number) {
    const path = join(folder, `${frames.length / 3}.png`)
    await page.waitForTimeout(300)
    await page.screenshot({ path })
    frames.push('-delay', String(delay), path)
  }

  await gallery.visit(await startChromium(), { viewport: VIEWPORT, reducedMotion: 'reduce' }, async page => {
    const { url, password } = gallery
    await page.goto(`${url}/login`)
    await shoot(page, LONG)
    await page.click('a[href="/register"]')
    await page.fill('#username', 'grace')
    await page.fill('#email', 'grace@example.org')
    await shoot(page, SHORT)
    await page.locator('#register [type=submit]').scrollIntoViewIfNeeded()
    await page.fill('#new-password', 'password')
    await page.locator('#strength[data-score="0"]').waitFor()
    await shoot(page, SHORT)
    await page.fill('#new-password', password)
    await page.locator('#strength[data-score="4"]').waitFor()
    await shoot(page, SHORT)
    await page.click('#register [type=submit]')
    await page.locator('#sent').waitFor()
    await shoot(page, LONG)
    await gallery.untilMailed()
    await page.getByRole('link', { name: 'Open the demo mailbox' }).click()
    const mail = page.frameLocator('article iframe').first()
    await mail.locator('table').first().waitFor()
    await shoot(page, LONG)
    await mail.getByRole('link', { name: 'Confirm email address' }).click()
    await page.locator('#confirm').waitFor()
    await shoot(page, SHORT)
    await page.click('#confirm [type=submit]')
    await page.locator('#account').waitFor()
    await shoot(page, LONG)
  })

  execFileSync('convert', ['-loop', '0', ...frames, '+dither', '-colors', '128', '-layers', 'optimize', FILE])
})
