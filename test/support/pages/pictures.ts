import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { openChromium } from '../engines/chromium.ts'
import type { Engine, EngineOptions } from '../engines/engine.ts'
import { openFirefox } from '../engines/firefox.ts'
import { createVisitor, type Visitor } from '../engines/visitor.ts'
import { openWebKit } from '../engines/webkit.ts'

const ENGINES = { chromium: openChromium, firefox: openFirefox, webkit: openWebKit }
const WIDTHS = [390, 768, 1280]
const HEIGHT = 800
const SCENE_TIMEOUT = 20_000
const SETTLED = 2_000

/** A browser that takes pictures of scenes, one after the other, each with cookies of its own. */
export async function openCamera (t: Test, name: string, options: EngineOptions) {
  const engine: Engine = await ENGINES[name as keyof typeof ENGINES](t, options)
  const page = createVisitor(await engine.newTab())

  return {
    /** `site`: any page of the host whose cookies these are. `file`: the name of the picture for a width. */
    async shoot (
      site: string,
      cookies: Array<{ name: string, value: string, path?: string }>,
      show: (page: Visitor) => Promise<unknown>,
      file: (width: number) => string,
      part: 'whole' | 'shown' = 'whole'
    ) {
      // The last page may still be leading to another one.
      await page.open(site).catch(() => sleep(SETTLED).then(() => page.open(site)))
      for (const cookie of await engine.cookies()) await engine.deleteCookie(cookie)
      for (const cookie of cookies) await engine.addCookie({ path: '/', domain: new URL(site).hostname, ...cookie })
      await page.resize(WIDTHS.at(-1) as number, HEIGHT)
      // A page that an engine cannot show, such as one with passkeys, is seen as it is.
      await Promise.race([show(page), sleep(SCENE_TIMEOUT).then(() => { throw new Error('timeout') })])
        .catch(error => t.comment(`${file(0)}: ${error}`))
      for (const width of WIDTHS) {
        await page.resize(width, HEIGHT)
        await sleep(100)
        // A page that is just being replaced has no picture.
        const picture = await page.picture(part).catch(() => sleep(SETTLED).then(() => page.picture(part)))
        writeFileSync(file(width), picture)
      }
    },
  }
}
