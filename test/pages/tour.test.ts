import t from 'tap'
import { BRAND_A, BRAND_B, BRAND_C } from '../../demo/brands.ts'
import { startMailbox } from '../../demo/mailbox.ts'
import { TOUR_PATH } from '../../demo/service-page.ts'
import { extendWithTour } from '../../demo/tour.ts'
import { createBrowser, createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violations, violationsInBothColors } from '../support/pages/axe.ts'

const APPLICATION = 'http://127.0.0.1:4200'
const NAMES = { PROVIDER_A_NAME: BRAND_A.title, PROVIDER_B_NAME: BRAND_B.title }

t.test('GET /: what can be tried, to visitors who are not signed in', { skip: withoutChromium }, async t => {
  const mailbox = await startMailbox()
  t.teardown(mailbox.stop)
  const { app, owner, url } = await openService(t, { ...NAMES, OPENID: 'on', SMTP_URL: mailbox.url }, {
    before (app) {
      mailbox.extend(app)
      extendWithTour(app, APPLICATION)
    },
  })
  const browser = await startChromium()
  const person = await newPerson(t, browser, { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
  const page = await person.newPage()

  await t.test('everything has a card and a way to it; axe, on a phone, light and dark', async t => {
    await page.goto(url)
    t.equal(page.url(), url + TOUR_PATH)
    t.strictSame(await page.getByRole('heading', { level: 2 }).allInnerTexts(), [
      'Sign in', 'Register', 'Passkey', 'Second factor', 'Providers', 'Orders, an application', 'Mailbox', 'Operators',
      'API and command line',
    ])
    t.equal(await page.getByRole('link', { name: 'Open Orders' }).getAttribute('href'), APPLICATION)
    t.strictSame(await violationsInBothColors(page), [])
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  })

  for (const { title } of [BRAND_A, BRAND_B, BRAND_C]) {
    await t.test(`${title}: the same mark on the card, on its own page and on the login page`, async t => {
      await page.goto(`${url}/login`)
      const mark = page.getByRole('link', { name: `Continue with ${title}` }).locator('img')
      t.match(await mark.getAttribute('src'), `/providers/${title.toLowerCase()}.svg`)
      await page.goto(url)
      const link = page.getByRole('link', { name: title })
      t.ok(await link.locator('img').evaluate(image => (image as HTMLImageElement).naturalWidth > 0))
      await link.click()
      await page.getByText(`${title} is invented for this demo`).waitFor()
      t.equal(await page.title(), title)
      t.ok(await page.locator('.site img').evaluate(image => (image as HTMLImageElement).naturalWidth > 0))
      t.strictSame(await violations(page), [])
    })
  }

  await t.test('the empty mailbox: axe, light and dark; its button leads to the form', async t => {
    await page.goto(`${url}/gatehouse/demo/mailbox`)
    t.strictSame(await violationsInBothColors(page), [])
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.waitForURL(`${url}/register`)
  })

  await t.test('a signed-in user comes to the account', async t => {
    const user = await createUser(owner)
    const visitor = createBrowser(app)
    await visitor.signIn(user.username)
    t.equal((await visitor.get('/')).headers.location, '/dashboard')
  })
})
