import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { newPerson, startChromium } from '../chromium.ts'
import type { Engine, EngineOptions, Tab } from './engine.ts'

export const tabOf = (page: Page): Tab => ({
  open: url => page.goto(url),
  url: async () => page.url(),
  run: expression => page.evaluate(expression),
  click: selector => page.click(selector),
  fill: (selector, value) => page.fill(selector, value),
  back: () => page.goBack(),
  bringToFront: () => page.bringToFront(),
  resize: (width, height) => page.setViewportSize({ width, height }),
  picture: part => page.screenshot({ fullPage: part === 'whole' }),
})

export async function openChromium (t: Test, { scheme }: EngineOptions = {}): Promise<Engine> {
  const { context, expect, newPage } = await newPerson(t, await startChromium(), {
    ...scheme && { colorScheme: scheme, reducedMotion: 'reduce' },
  })
  // A refused request is a message on the page here, and an error in the console.
  expect(/^(4\d\d \/|503 \/unavailable)/)
  return {
    device: 'Chrome on Linux',
    newTab: async () => tabOf(await newPage()),
    cookies: async () => (await context.cookies()).map(({ name }) => name),
    addCookie: cookie => context.addCookies([cookie]),
    deleteCookie: name => context.clearCookies({ name }),
  }
}
