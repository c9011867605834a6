// npx node test/pages/operator-screenshots.ts: the images of docs/operators.md.
// With a folder: every page of operators, at 390, 768 and 1280 pixels, light and dark.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startChromium } from '../support/chromium.ts'
import { openOperatorPage } from '../support/pages/operator.ts'
import { fillHouse, OPERATOR_SCENES } from '../support/pages/operator-scenes.ts'

const [folder, ...names] = process.argv.slice(2)
const SCHEMES = ['light', 'dark'] as const

t.setTimeout(600_000)
t.test('screenshots', { timeout: 600_000 }, async t => {
  const house = await openOperatorPage(t, await startChromium(t))
  const ids = await fillHouse(house)

  async function shoot (name: string, width: number, path: (scheme: string) => string, fullPage: boolean) {
    const { page, person } = await house.newPage({
      viewport: { width, height: 800 },
      deviceScaleFactor: fullPage ? 1 : 1.25,
    })
    await OPERATOR_SCENES[name]?.(page, house.operatorUrl, ids)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: path(colorScheme), fullPage })
    }
    await person.context.close()
  }

  if (!folder) {
    for (const name of ['overview', 'account']) {
      await shoot(name, 1280, scheme => join('docs/images', `operator-${name}-${scheme}.png`), false)
    }
    return
  }
  mkdirSync(folder, { recursive: true })
  for (const name of names.length > 0 ? names : Object.keys(OPERATOR_SCENES)) {
    for (const width of [390, 768, 1280]) {
      await shoot(name, width, scheme => join(folder, `${name}-${width}-${scheme}.png`), true)
    }
  }
})
