import { readFileSync } from 'node:fs'
import t from 'tap'
import { startMailbox } from '../../demo/mailbox.ts'
import { createMailWriter } from '../../src/mail/templates.ts'
import { SAMPLE_MAILS } from '../../src/mail/values.ts'
import { findPageFiles } from '../../src/site/files.ts'
import { directionOf, LANGUAGE_NAMES } from '../../src/site/language.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violations } from '../support/pages/axe.ts'
import { eventually } from '../support/patience.ts'

const DARK = 'rgb(25, 29, 37)'
const LOGO = readFileSync('docs/images/dashboard-light.png')

/** Landmarks belong to the page of the mail program, of which a mail is a part. */
const isOfMail = (violation: string) => !/ (landmark-one-main|region): /.test(violation)

t.test('mails, as the demo mailbox shows them', { skip: withoutChromium }, async t => {
  const mailbox = await startMailbox()
  t.teardown(mailbox.stop)
  const { app, url } = await openService(t, { SMTP_URL: mailbox.url, BRAND_LOGO: '/logo.png', BRAND_NAME: 'Ac & me' }, {
    before (app) {
      mailbox.extend(app)
      app.register(async app => {
        app.get('/logo.png', async (_request, reply) => reply
          .headers({ 'content-type': 'image/png', 'cross-origin-resource-policy': 'cross-origin' })
          .send(LOGO))
      })
    },
  })
  t.capture(console, 'log')
  for (const language of LANGUAGE_NAMES) {
    await app.inject({
      method: 'POST',
      url: '/register',
      payload: { username: `ada-${language}`, email: `${language}@example.com`, password: 'tr0mbone-Under-glass!' },
      headers: { 'accept-language': language },
    })
  }
  await eventually(
    async () => (await app.inject('/demo/mailbox/count')).body,
    count => count === String(LANGUAGE_NAMES.length),
    10_000
  )
  const person = await newPerson(t, await startChromium(t), { viewport: { width: 390, height: 844 } })
  const page = await person.newPage()
  await page.goto(`${url}/demo/mailbox`)

  for (const language of LANGUAGE_NAMES) {
    await t.test(`${language}: the logo, the button, its address, no preview; light and dark`, async t => {
      const article = page.locator('article').filter({ hasText: `${language}@example.com` })
      await article.scrollIntoViewIfNeeded()
      const mail = article.frameLocator('iframe')
      await mail.locator('h1').waitFor()
      t.equal(await mail.locator('html').getAttribute('dir'), directionOf(language))
      const address = await mail.locator('a.button').getAttribute('href') as string
      t.match(address, `${url}/verify-email#token=`)
      t.equal(await mail.locator('a.link').innerText(), address)
      t.equal(await mail.locator('a.link').getAttribute('href'), address)
      t.notOk(await mail.locator('.preview').isVisible())
      t.ok(await mail.getByText('Ac & me', { exact: true }).isVisible(), 'the name, also if the logo is not loaded')
      const logo = mail.locator('img')
      await eventually(
        () => logo.evaluate(image => (image as HTMLImageElement).naturalWidth),
        width => width > 0,
        2_000
      )
      const wide = await mail.locator('html').evaluate(root => root.scrollWidth - root.clientWidth)
      t.equal(wide, 0, 'nothing to scroll sideways')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const color = await mail.locator('.sheet').evaluate(sheet => getComputedStyle(sheet).backgroundColor)
        t.equal(color, colorScheme === 'dark' ? DARK : 'rgb(255, 255, 255)')
      }
    })
  }

  await t.test('every mail: axe, light and dark, with any colour of the brand', async t => {
    const { files } = await findPageFiles()
    for (const color of ['#2f5bea', '#ffe600', '#101010']) {
      const write = await createMailWriter({ brand: 'Acme', color, url: 'https://auth.example.com' }, files)
      for (const [name, values] of color === '#2f5bea' ? SAMPLE_MAILS : SAMPLE_MAILS.slice(0, 1)) {
        await page.goto('about:blank')
        await page.setContent(write(name, values, 'en').html)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          t.strictSame((await violations(page)).filter(isOfMail), [], `${name} ${color} ${colorScheme}`)
        }
      }
    }
  })
})
