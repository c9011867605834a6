import t from 'tap'
import { createUser } from '../support/browser.ts'
import { LANGUAGE_NAMES } from '../../src/site/language.ts'
import { SAMPLE_MAILS } from '../../src/mail/values.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { ASKED_AT_LENGTH, OPENID_PAGES, serveInteraction } from '../support/pages/interaction.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { checkContrast, checkMailbox } from '../support/pages/mails.ts'
import { eventually } from '../support/patience.ts'

t.test('the menu of languages', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { url, owner } = service
  const browser = await startChromium()

  await t.test('without scripts, and the choice is kept', async t => {
    const person = await newPerson(t, browser, { javaScriptEnabled: false })
    const page = await person.newPage()
    await page.goto(`${url}/login`)
    await page.locator('.languages summary').click()
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    await page.goto(`${url}/register`)
    await page.getByRole('heading', { name: 'Konto erstellen' }).waitFor()
  })

  await t.test('keeps the token of an emailed link, and the query', async t => {
    const person = await newPerson(t, browser)
    const page = await person.newPage()
    await page.goto(`${url}/reset-password?from=mail#token=abc`)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await page.locator('.languages summary').click()
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Neues Passwort wählen' }).waitFor()
    t.equal(new URL(page.url()).searchParams.get('from'), 'mail')
  })

  await t.test('on the dashboard: mails are in the chosen language from then on', async t => {
    const user = await createUser(owner)
    const person = await newPerson(t, browser)
    await person.signIn(service, user.username)
    const page = await person.newPage()
    await page.goto(`${url}/dashboard`)
    await page.getByText(user.email).first().waitFor()
    await page.locator('.languages summary').click()
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'E-Mail-Adresse', exact: true }).waitFor()
    await eventually(
      () => owner.query("SELECT FROM users WHERE id = $1 AND language = 'de'", [user.id]),
      ({ rowCount }) => rowCount === 1
    )
    t.equal(page.url(), `${url}/dashboard`)
  })
})

t.test('mails in each language, as the demo mailbox shows them', { skip: withoutChromium }, t =>
  checkMailbox(t, LANGUAGE_NAMES))

t.test('mails: axe, light and dark, with any colour of the brand', { skip: withoutChromium }, async t => {
  for (const color of ['#ffe600', '#101010']) await checkContrast(t, color, SAMPLE_MAILS.slice(0, 1))
})

t.test('the pages of the OpenID provider in Arabic: axe, nothing is cut off', { skip: withoutChromium }, async t => {
  const service = await openService(t, {}, { before (app) { serveInteraction(app).current = ASKED_AT_LENGTH } })
  const person = await newPerson(t, await startChromium(), { reducedMotion: 'reduce' })
  await person.signIn(service, (await createUser(service.owner)).username)
  const page = await person.newPage()
  for (const path of OPENID_PAGES) {
    await t.test(path, async t => {
      await page.goto(`${service.url}${path}${path.includes('?') ? '&' : '?'}language=ar`)
      if (path.includes('interaction')) await page.locator('#request').waitFor()
      await checkLooks(t, page)
    })
  }
})
