import t from 'tap'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violationsInBothColors } from '../support/pages/axe.ts'

t.test('/login: the provider that this browser used last comes first', { skip: withoutChromium }, async t => {
  const { url } = await openService(t)
  const browser = await startChromium()
  const person = await newPerson(t, browser, { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
  const page = await person.newPage()
  const paths = () => page.locator('.providers a').evaluateAll(links => links.map(link => link.getAttribute('href')))
  const configured = ['/api/auth/provider-a', '/api/auth/provider-b', '/api/auth/demo-c']
  const chosen = async () => (await person.context.cookies()).find(({ name }) => name === 'gatehouse_provider')?.value

  await page.goto(`${url}/login`)
  t.strictSame(await paths(), configured, 'at first, the order of the settings')
  t.equal(await page.getByText('Last used').count(), 0)

  await t.test('a sign-in that is cancelled changes nothing', async t => {
    await page.click('a[href="/api/auth/demo-c"]')
    await page.locator('button[value=cancel]').click()
    await page.waitForURL(/\/login\?error=/)
    t.strictSame(await paths(), configured)
    t.equal(await chosen(), undefined)
  })

  for (const [path, order] of [
    ['demo-c', ['/api/auth/demo-c', '/api/auth/provider-a', '/api/auth/provider-b']],
    ['provider-b', ['/api/auth/provider-b', '/api/auth/provider-a', '/api/auth/demo-c']],
  ] as const) {
    await t.test(`after a sign-in through ${path}`, async t => {
      await page.click(`a[href="/api/auth/${path}"]`)
      await page.locator('button[value=continue]').click()
      await page.waitForURL(`${url}/dashboard`)
      t.equal(await chosen(), path)
      // The dashboard asks for nothing more.
      await page.goto('about:blank')
      await person.context.clearCookies({ name: /_token$/ })
      await page.goto(`${url}/login`)
      t.strictSame(await paths(), order)
      t.match(await page.locator('.providers a').first().innerText(), /^Continue with [^]+Last used$/)
      t.equal(await page.getByText('Last used').count(), 1)
      t.strictSame(await violationsInBothColors(page), [])
      t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    })
  }

  await t.test('another browser knows nothing of it, and a made-up cookie changes nothing', async t => {
    const other = await newPerson(t, browser)
    const elsewhere = await other.newPage()
    for (const value of [undefined, 'nobody', '__proto__', '<b>']) {
      if (value) await other.context.addCookies([{ name: 'gatehouse_provider', value, url }])
      await elsewhere.goto(`${url}/login`)
      const links = elsewhere.locator('.providers a')
      t.strictSame(await links.evaluateAll(links => links.map(link => link.getAttribute('href'))), configured)
      t.equal(await elsewhere.getByText('Last used').count(), 0)
    }
  })
})
