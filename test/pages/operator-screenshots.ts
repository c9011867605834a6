// npx node test/pages/operator-screenshots.ts: the images of docs/operators.md.
// With a folder: every page of operators, at 390, 768 and 1280 pixels, light and dark.
// --engine firefox, or webkit: in this browser instead of Chromium.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import t from 'tap'
import { startChromium } from '../support/chromium.ts'
import { tabOf } from '../support/engines/chromium.ts'
import { createVisitor } from '../support/engines/visitor.ts'
import { openOperatorPage } from '../support/pages/operator.ts'
import { fillHouse, OPEN_SCENES, OPERATOR_SCENES } from '../support/pages/operator-scenes.ts'
import { openCamera } from '../support/pages/pictures.ts'

const { values: { engine }, positionals: [folder, ...names] } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'chromium' } },
})
const SCHEMES = ['light', 'dark'] as const

t.setTimeout(3_600_000)
t.test('screenshots', { timeout: 3_600_000 }, async t => {
  const house = await openOperatorPage(t, await startChromium())
  const { operatorUrl: url } = house
  const ids = await fillHouse(house)

  async function shootForDocs (name: string) {
    const { page, person } = await house.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.25 })
    await OPERATOR_SCENES[name]?.(createVisitor(tabOf(page)), url, ids)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join('docs/images', `operator-${name}-${colorScheme}.png`) })
    }
    await person.context.close()
  }

  async function shootAll (folder: string) {
    mkdirSync(folder, { recursive: true })
    const scenes = Object.entries({ ...OPERATOR_SCENES, ...OPEN_SCENES })
      .filter(([name]) => names.length === 0 || names.includes(name))
    for (const scheme of SCHEMES) {
      const camera = await openCamera(t, engine, { scheme })
      for (const [name, show] of scenes) {
        await camera.shoot(
          `${url}/nowhere`,
          name in OPEN_SCENES ? [] : [await house.sessionCookie()],
          page => show(page, url, ids),
          width => join(folder, `${name}-${width}-${scheme}.png`)
        )
      }
    }
  }

  if (folder) await shootAll(folder)
  else for (const name of ['overview', 'account']) await shootForDocs(name)
})
