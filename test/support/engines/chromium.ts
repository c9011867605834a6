import type { Test } from 'tap'
import { newPerson, startChromium } from '../chromium.ts'
import type { Engine } from './engine.ts'

export async function openChromium (t: Test): Promise<Engine> {
  const { context, expect, newPage } = await newPerson(t, await startChromium(t))
  // A refused request is a message on the page here, and an error in the console.
  expect(/^4\d\d \//)
  return {
    device: 'Chrome on Linux',
    async newTab () {
      const page = await newPage()
      return {
        open: url => page.goto(url),
        url: async () => page.url(),
        run: expression => page.evaluate(expression),
        click: selector => page.click(selector),
        fill: (selector, value) => page.fill(selector, value),
        back: () => page.goBack(),
        bringToFront: () => page.bringToFront(),
      }
    },
    cookies: async () => (await context.cookies()).map(({ name }) => name),
    deleteCookie: name => context.clearCookies({ name }),
  }
}
