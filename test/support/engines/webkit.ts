import { globSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Builder, By, Capabilities } from 'selenium-webdriver'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { isInstalled } from '../../../demo/programs.ts'
import { eventually } from '../patience.ts'
import { startDisplay } from './display.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { startProgram } from './program.ts'

/** Why the tests in WebKit are skipped, or false. In CI a skipped test counts as failed. */
export const withoutWebKit = ['WebKitWebDriver', 'Xvfb'].every(isInstalled)
  ? false
  : 'NO webkit2gtk-driver AND xvfb ON THIS MACHINE: THE TESTS IN WEBKIT DID NOT RUN'

/** Pictures of long pages are taken in windows as high as they are. */
const MAX_HEIGHT = 6_000
/** In milliseconds, after which a page in a larger window has been painted. */
const PAINTED = 1_000
/** At least the width of the narrowest window. */
const NARROWEST = 450

async function startDriver (t: Test, scheme = 'light'): Promise<string> {
  const display = await startDisplay(t)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = ['WebKitWebDriver', '--host=127.0.0.1', `--port=${port}`]
  const theme = scheme === 'dark' ? 'Adwaita:dark' : 'Adwaita'
  startProgram(t, ['env', `DISPLAY=${display}`, 'LANG=en_GB.UTF-8', `GTK_THEME=${theme}`, ...program])
  await eventually(() => fetch(`${url}/status`).then(({ ok }) => ok, () => false), Boolean)
  return url
}

export async function openWebKit (t: Test, { scheme }: EngineOptions = {}): Promise<Engine> {
  const url = await startDriver(t, scheme)
  const [binary] = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser')
  const driver = await new Builder()
    .disableEnvironmentOverrides()
    .usingServer(url)
    .withCapabilities(new Capabilities({
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary, args: ['--automation'] },
    }))
    .build()
  t.teardown(() => driver.quit())
  const windows: string[] = []

  let [shownWidth, shownHeight] = [1280, 800]

  async function resize (width: number, height: number) {
    const bars = await driver.executeScript<number>('return outerHeight - innerHeight')
    await driver.manage().window().setRect({ width, height: height + bars })
    // The page learns of it later.
    await eventually(
      () => driver.executeScript<[number, number]>('return [innerWidth, innerHeight]'),
      ([inner, innerHeight]) => inner >= width && inner < width + NARROWEST && innerHeight === height
    )
    // The window cannot be narrower than its bar: the page is enlarged, so that it has this width. No media query is
    // between the two widths.
    await driver.executeScript(
      "document.documentElement.style.zoom = innerWidth > arguments[0] ? innerWidth / arguments[0] : ''", width)
  }

  const contentHeight = async () =>
    Math.min(MAX_HEIGHT, await driver.executeScript<number>('return document.documentElement.scrollHeight'))

  return {
    device: 'Safari on Linux',
    async newTab () {
      if (windows.length > 0) await driver.switchTo().newWindow('tab')
      const window = await driver.getWindowHandle()
      windows.push(window)
      const inTab = async <T>(act: () => Promise<T>): Promise<T> => {
        if (await driver.getWindowHandle() !== window) await driver.switchTo().window(window)
        return act()
      }
      return {
        open: url => inTab(() => driver.get(url)),
        url: () => inTab(() => driver.getCurrentUrl()),
        run: <T>(expression: string) => inTab(() => driver.executeScript<T>(`return ${expression}`)),
        click: selector => inTab(() => driver.findElement(By.css(selector)).click()),
        fill: (selector, value) => inTab(async () => {
          const field = driver.findElement(By.css(selector))
          await field.clear()
          await field.sendKeys(value)
        }),
        back: () => inTab(() => driver.navigate().back()),
        bringToFront: () => inTab(async () => {}),
        resize: (width, height) => inTab(async () => {
          [shownWidth, shownHeight] = [width, height]
          await resize(width, height)
        }),
        picture: part => inTab(async () => {
          const isLonger = part === 'whole' && await contentHeight() > shownHeight
          // Some distances depend on the height of the window, so that the page grows with it once more.
          if (isLonger) for (let times = 0; times < 2; times++) await resize(shownWidth, await contentHeight())
          await sleep(PAINTED)
          const picture = Buffer.from(await driver.takeScreenshot(), 'base64')
          if (isLonger) await resize(shownWidth, shownHeight)
          return picture
        }),
      }
    },
    cookies: async () => (await driver.manage().getCookies()).map(({ name }) => name),
    addCookie: cookie => driver.manage().addCookie(cookie),
    deleteCookie: name => driver.manage().deleteCookie(name),
  }
}
