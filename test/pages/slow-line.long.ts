import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import { createUser } from '../support/browser.ts'
import { newPerson, startChromium, withoutChromium } from '../support/chromium.ts'
import { shiftsOf } from '../support/pages/layout-shifts.ts'
import { openOperatorPage } from '../support/pages/operator.ts'
import { startSlowLine } from '../support/pages/slow-line.ts'

const PATHS = ['/login', '/register', '/dashboard', '/dashboard/security', '/reset-password', '/logout']
const OPERATOR_PATHS = ['/', '/accounts', '/events', '/service', '/sign-in']

async function checkArrival (t: Test, page: Page, url: string) {
  let parts = 0
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  cdp.on('Network.dataReceived', () => { parts += 1 })
  await page.goto(url, { waitUntil: 'networkidle' })
  t.ok(parts > 10, 'it arrived in parts')
  t.strictSame(await shiftsOf(page), [])
}

for (const width of [390, 1280]) {
  t.test(`pages that arrive line by line, ${width} pixels wide: nothing moves`, { skip: withoutChromium }, async t => {
    const browser = await startChromium()
    const house = await openOperatorPage(t, browser, { OPENID: 'on' })
    const options = { proxy: await startSlowLine(t), viewport: { width, height: 800 } }
    const { username } = await createUser(house.owner)
    for (const path of PATHS) {
      const person = await newPerson(t, browser, options)
      if (path.startsWith('/dashboard')) await person.signIn(house, username)
      await t.test(path, async t => checkArrival(t, await person.newPage(), house.url + path))
    }
    for (const path of OPERATOR_PATHS) {
      await t.test(`/operator${path}`, async t => {
        const { page } = path === '/sign-in'
          ? { page: await (await house.newVisitor(options)).newPage() }
          : await house.newPage(options)
        await checkArrival(t, page, house.operatorUrl + path)
      })
    }
  })
}
