import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { startMailbox } from '../../../demo/mailbox.ts'
import { createMailWriter } from '../../../src/mail/templates.ts'
import { SAMPLE_MAILS } from '../../../src/mail/values.ts'
import { findPageFiles } from '../../../src/site/files.ts'
import { directionOf, type Language } from '../../../src/site/language.ts'
import { newPerson, openService, startChromium } from '../chromium.ts'
import { eventually } from '../patience.ts'
import { violations } from './axe.ts'

const DARK = 'rgb(25, 29, 37)'
const LOGO = readFileSync('docs/images/dashboard-light.png')

/** Landmarks belong to the page of the mail program, of which a mail is a part. */
const isOfMail = (violation: string) => !/ (landmark-one-main|region): /.test(violation)

/** A mail in each of these languages, as the demo mailbox shows it. */
export async function checkMailbox (t: Test, languages: readonly Language[]) {
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
  for (const language of languages) {
    await app.inject({
      method: 'POST',
      url: '/register',
      payload: { username: `ada-${language}`, email: `${language}@example.com`, password: 'tr0mbone-Under-glass!' },
      headers: { 'accept-language': language },
    })
  }
  await eventually(
    async () => (await app.inject('/demo/mailbox/count')).body,
    count => count === String(languages.length)
  )
  const person = await newPerson(t, await startChromium(), { viewport: { width: 390, height: 844 } })
  const page = await person.newPage()
  await page.goto(`${url}/demo/mailbox`)
  for (const language of languages) {
    await t.test(`${language}: the logo, the button, its address, no preview; light and dark`, t =>
      checkMail(t, page, url, language))
  }
}

async function checkMail (t: Test, page: Page, url: string, language: Language) {
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
  await eventually(() => logo.evaluate(image => (image as HTMLImageElement).naturalWidth), width => width > 0)
  const wide = await mail.locator('html').evaluate(root => root.scrollWidth - root.clientWidth)
  t.equal(wide, 0, 'nothing to scroll sideways')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const color = await mail.locator('.sheet').evaluate(sheet => getComputedStyle(sheet).backgroundColor)
    t.equal(color, colorScheme === 'dark' ? DARK : 'rgb(255, 255, 255)')
  }
}

/** These mails with this colour of the brand: axe finds nothing, light and dark. */
export async function checkContrast (t: Test, color: string, mails = SAMPLE_MAILS) {
  const page = await (await newPerson(t, await startChromium())).newPage()
  const { files } = await findPageFiles()
  const write = await createMailWriter({ brand: 'Acme', color, url: 'https://auth.example.com' }, files)
  for (const [name, values] of mails) {
    await page.setContent(write(name, values, 'en').html)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      t.strictSame((await violations(page)).filter(isOfMail), [], `${name} ${color} ${colorScheme}`)
    }
  }
}
