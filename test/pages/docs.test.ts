import t from 'tap'
import { newPerson, openHouse, startChromium, withoutChromium } from '../support/chromium.ts'
import { violations } from '../support/pages/axe.ts'

t.test('/docs: axe finds nothing, light and dark', { skip: withoutChromium }, async t => {
  const { url } = await openHouse(t)
  const person = await newPerson(t, await startChromium(t), { reducedMotion: 'reduce' })
  const page = await person.newPage()
  await page.goto(`${url}/docs`)
  await page.getByRole('link', { name: 'Sign in with a password' }).click()
  t.equal(new URL(page.url()).hash, '#login')
  await page.locator('#login summary', { hasText: '429' }).click()
  await page.getByText('"retryAfter": 900').first().waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.strictSame(await violations(page), [], colorScheme)
  }
  await page.setViewportSize({ width: 320, height: 640 })
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320)
})
