import t from 'tap'
import { createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

t.test('the menu of languages', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { url, owner } = service
  const browser = await startChromium(t)

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
      ({ rowCount }) => rowCount === 1,
      5_000
    )
    t.equal(page.url(), `${url}/dashboard`)
  })
})
