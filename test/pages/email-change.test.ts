import t from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

t.test('change of address: the links of both mails', { skip: withoutChromium }, async t => {
  const { app, owner, smtp, url } = await openService(t)
  const browser = await startChromium()
  const user = await createUser(owner)
  const client = createBrowser(app)
  await client.signIn(user.username)
  await client.guarded('POST', '/api/auth/email', { email: 'new@example.org' })
  const person = await newPerson(t, browser)
  const page = await person.newPage()
  const emailOf = async () => (await owner.query('SELECT email FROM users WHERE id = $1', [user.id])).rows[0].email
  const linkTo = async (reader: string) => {
    const mail = await eventually(
      () => smtp.mails.find(mail => mail.reader === reader && mail.token),
      found => found !== undefined
    )
    return mail?.text?.match(/http\S+#token=\S+/)?.[0] as string
  }

  await t.test('the new address is used after a click, and the token leaves the address bar', async t => {
    await page.goto(await linkTo('new@example.org'))
    await page.getByRole('heading', { name: 'Use this email address' }).waitFor()
    t.equal(page.url(), `${url}/verify-email`)
    t.equal(await emailOf(), user.email)
    await page.getByRole('button', { name: 'Use this address' }).click()
    await page.getByRole('heading', { name: 'Your email address has been changed' }).waitFor()
    t.equal(await emailOf(), 'new@example.org')
  })

  await t.test('the former address restores itself; a used link leads on', async t => {
    const link = await linkTo(user.email)
    await page.goto(link)
    await page.getByRole('button', { name: 'Restore the address' }).click()
    await page.getByRole('heading', { name: 'Your email address has been restored' }).waitFor()
    t.equal(await emailOf(), user.email)
    t.equal(await page.getByRole('link', { name: 'Choose a new password' }).getAttribute('href'), '/reset-password')

    person.expect('400 /verify-email/undo')
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Restore the address' }).click()
    await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Choose a new password' }).getAttribute('href'), '/reset-password')
  })
})
