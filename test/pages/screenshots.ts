// npx node test/pages/screenshots.ts: the images of docs/quick-start.md.
// With a folder: every page, or those that are named after it, on three screens, light and dark, in three languages.
// --language de: only in this one. --engine firefox, or webkit: in this browser instead of Chromium.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import t from 'tap'
import { LANGUAGE_COOKIE } from '../../src/site/language.ts'
import { startChromium } from '../support/chromium.ts'
import { tabOf } from '../support/engines/chromium.ts'
import { createVisitor } from '../support/engines/visitor.ts'
import { WITH_MAIL } from '../support/mail-sign-in.ts'
import { KNOWN_PROVIDERS, openGallery } from '../support/pages/gallery.ts'
import { MAIL_SCENES } from '../support/pages/mail-scenes.ts'
import { OPENID_SCENES } from '../support/pages/openid-scenes.ts'
import { openCamera } from '../support/pages/pictures.ts'
import { SCENES } from '../support/pages/scenes.ts'

const { values: { language, engine }, positionals: [folder, ...names] } = parseArgs({
  allowPositionals: true,
  options: { language: { type: 'string' }, engine: { type: 'string', default: 'chromium' } },
})
const IMAGES = 'docs/images'
const SCHEMES = ['light', 'dark'] as const
/** WebKitGTK has no passkeys. */
const UNKNOWN_TO_WEBKIT = ['dialog-name', 'dialog-confirm', 'dialog-question']
const LANGUAGES = language ? [language] : ['en', 'de', 'ar']

t.setTimeout(3_600_000)
t.test('screenshots', { timeout: 3_600_000 }, async t => {
  /** For docs/quick-start.md: the part of a page that a screen shows. */
  async function shootForDocs () {
    const gallery = await openGallery(t, KNOWN_PROVIDERS)
    const screen = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.25 }
    await gallery.visit(await startChromium(), screen, async page => {
      await SCENES['dashboard-security']?.(createVisitor(tabOf(page)), gallery)
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.screenshot({ path: join(IMAGES, `dashboard-${colorScheme}.png`) })
      }
    })
  }

  async function shootAll (folder: string) {
    mkdirSync(folder, { recursive: true })
    const [plain, withMail] = [await openGallery(t), await openGallery(t, WITH_MAIL)]
    const all = [
      ...Object.entries({ ...SCENES, ...OPENID_SCENES }).map(([name, show]) => ({ name, show, gallery: plain })),
      ...Object.entries(MAIL_SCENES).map(([name, show]) => ({ name, show, gallery: withMail })),
    ].filter(({ name }) => names.length === 0 || names.includes(name))
      .filter(({ name }) => engine !== 'webkit' || !UNKNOWN_TO_WEBKIT.includes(name))
    for (const scheme of SCHEMES) {
      const camera = await openCamera(t, engine, { scheme })
      for (const each of LANGUAGES) {
        for (const { name, show, gallery } of all) {
          await camera.shoot(
            `${gallery.url}/nowhere`,
            [{ name: LANGUAGE_COOKIE, value: each }],
            page => show(page, gallery),
            width => join(folder, `${name}-${each}-${width}-${scheme}.png`),
            name.startsWith('dialog') ? 'shown' : 'whole'
          )
          await gallery.tidy()
        }
      }
    }
  }

  return folder ? shootAll(folder) : shootForDocs()
})
