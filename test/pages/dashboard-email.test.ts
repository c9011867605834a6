import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

t.test('/dashboard, a new email address: confirmed, requested, and used after the link', {
  skip: withoutChromium,
}, async t => {
  const house = await openService(t)
  const { owner, smtp, url } = house
  const user = await createUser(owner)
  const person = await newPerson(t, await startChromium())
  person.expect('403 /api/auth/email')
  await person.signIn(house, user.username)
  await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 day' WHERE user_id = $1", [user.id])
  const page = await person.newPage()
  await page.goto(`${url}/dashboard`)
  await page.getByText(user.email).first().waitFor()

  const section = page.locator('#email-section')
  await section.getByRole('button', { name: 'Change Email address' }).click()
  await section.locator('#new-email:focus').waitFor()
  await section.getByLabel('New email address').fill('nowhere')
  await section.getByRole('button', { name: 'Send code' }).click()
  await section.getByText('Please enter a complete email address').waitFor()

  await section.getByLabel('New email address').fill('new@example.org')
  await section.getByRole('button', { name: 'Send code' }).click()
  await page.getByRole('dialog', { name: 'Confirm it is you' }).getByLabel('Your password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await section.getByText('We have sent a code and a link to new@example.org.').waitFor()
  t.notOk(await section.getByLabel('New email address').isVisible(), 'the form is closed')
  t.equal(await page.locator(':focus').getAttribute('id'), 'edit-email')

  const mail = await eventually(
    () => smtp.mails.find(({ reader, token }) => reader === 'new@example.org' && token),
    found => found !== undefined
  )
  await page.goto(mail?.text?.match(/http\S+#token=\S+/)?.[0] as string)
  await page.getByRole('button', { name: 'Use this address' }).click()
  await page.getByRole('heading', { name: 'Your email address has been changed' }).waitFor()
  await page.goto(`${url}/dashboard`)
  await page.getByText('new@example.org').first().waitFor()
})
