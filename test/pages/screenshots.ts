// npx node test/pages/screenshots.ts: the images of docs/quick-start.md.
// With a folder: every page, or those that are named after it, on three screens, light and dark, in three languages.
// --language de: only in this one.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import t from 'tap'
import { startChromium } from '../support/chromium.ts'
import { KNOWN_PROVIDERS, openGallery } from '../support/pages/gallery.ts'
import { SCENES } from '../support/pages/scenes.ts'

const { values: { language }, positionals: [folder, ...names] } = parseArgs({
  allowPositionals: true,
  options: { language: { type: 'string' } },
})
const IMAGES = 'docs/images'
const SCHEMES = ['light', 'dark'] as const
const WIDTHS = [390, 768, 1280]

t.setTimeout(1_200_000)
t.test('screenshots', { timeout: 1_200_000 }, async t => {
  const gallery = await openGallery(t, await startChromium(t), folder ? {} : KNOWN_PROVIDERS)

  /** For docs/quick-start.md: the part of a page that a screen shows. */
  async function shootForDocs () {
    mkdirSync(IMAGES, { recursive: true })
    await gallery.visit({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.25 }, async page => {
      await SCENES['dashboard-security']?.(page, gallery)
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.screenshot({ path: join(IMAGES, `dashboard-${colorScheme}.png`) })
      }
    })
  }

  async function shootAll (folder: string, locale: string) {
    mkdirSync(folder, { recursive: true })
    for (const name of names.length > 0 ? names : Object.keys(SCENES)) {
      await gallery.visit({ locale }, async page => {
        await SCENES[name]?.(page, gallery)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 })
          for (const colorScheme of SCHEMES) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
            const path = join(folder, `${name}-${locale}-${width}-${colorScheme}.png`)
            await page.screenshot({ path, fullPage: !name.startsWith('dialog') })
          }
        }
      })
    }
  }

  if (!folder) return shootForDocs()
  for (const each of language ? [language] : ['en', 'de', 'ar']) await shootAll(folder, each)
})
