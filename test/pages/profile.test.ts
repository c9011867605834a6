import t from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'

const options = { skip: withoutChromium }

t.test('/dashboard: language and time zone, on this device and on others, and the event in words', options, async t => {
  const house = await openService(t)
  const { app, owner, url } = house
  const browser = await startChromium()
  const user = await createUser(owner, { language: 'en' })
  const person = await newPerson(t, browser)
  await person.signIn(house, user.username)
  const page = await person.newPage()
  await page.goto(`${url}/dashboard`)
  const section = page.locator('#region-section')
  await page.locator('#own-region', { hasText: /^English$/ }).waitFor()
  await section.getByRole('button', { name: 'Change Language and time zone' }).click()
  await section.locator('#own-language:focus').waitFor()
  await section.getByLabel('Time zone', { exact: true }).selectOption('America/New_York')
  await checkLooks(t, page)
  await section.getByRole('button', { name: 'Save' }).click()
  await section.getByText('Your language and time zone have been changed.').waitFor()
  await section.getByText('English · New York', { exact: true }).waitFor()
  t.equal(await page.locator(':focus').getAttribute('id'), 'edit-region')

  await section.getByRole('button', { name: 'Change Language and time zone' }).click()
  t.equal(await section.getByLabel('Time zone', { exact: true }).inputValue(), 'America/New_York')
  await section.getByLabel('Time zone', { exact: true }).selectOption('')
  await section.getByLabel('Language', { exact: true }).selectOption('ar')
  await section.getByRole('button', { name: 'Save' }).click()
  await page.locator('html[lang=ar][dir=rtl] #own-region', { hasText: /^العربية$/ }).waitFor()
  t.equal(page.url(), `${url}/dashboard`)
  await checkLooks(t, page)
  const kept = async () => (await owner.query('SELECT language, time_zone FROM users WHERE id = $1', [user.id])).rows[0]
  t.strictSame(await kept(), { language: 'ar', time_zone: null })

  const phone = createBrowser(app)
  await phone.signIn(user.username)
  await phone.guarded('PATCH', '/api/auth/me', { language: 'de', timeZone: 'Europe/Berlin' })
  await app.changeAccount((await app.users.findById(user.id))!, { externalId: 'c-1', username: 'ada-king' })
  await page.goto(`${url}/dashboard/devices`)
  await page.locator('html[lang=de]').waitFor()
  await page.getByText('Profil geändert: Benutzername, Externe Kennung').waitFor()
  await page.getByText('Durch den Betreiber').waitFor()
  await page.getByText('Profil geändert: Sprache, Zeitzone').first().waitFor()
  t.equal(page.url(), `${url}/dashboard/devices`)
  t.strictSame(await kept(), { language: 'de', time_zone: 'Europe/Berlin' })
})

t.test('the page of operators changes a profile, and shows what was changed by whom', options, async t => {
  const { operatorUrl: url, owner, smtp, newPage } = await openOperatorPage(t, await startChromium())
  const ada = await createUser(owner, { username: 'ada', name: 'Ada', time_zone: 'Asia/Tokyo' })
  await createUser(owner, { username: 'taken', external_id: 'c-1' })
  const { page, person } = await newPage()
  person.expect(/^409 \/operator\/api\/v1\/users/, /^400 \/operator\/api\/v1\/users/)
  await page.goto(`${url}/accounts/${ada.id}`)
  await page.getByRole('button', { name: 'Change the profile' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the profile' })
  t.equal(await dialog.getByLabel('Time zone').inputValue(), 'Asia/Tokyo')
  await checkLooks(t, page)
  const save = dialog.getByRole('button', { name: 'Save' })
  for (const [label, value, complaint] of [
    ['Username', 'TAKEN', 'This username is taken.'],
    ['External id', 'c-1', 'This external id is taken.'],
    ['Email', 'taken@example.com', 'This email is taken.'],
    ['Username', 'a', 'username'],
  ] as const) {
    const field = dialog.getByLabel(label, { exact: true })
    const before = await field.inputValue()
    await field.fill(value)
    await save.click()
    await dialog.locator('.field', { has: page.getByLabel(label, { exact: true }) })
      .locator('.complaint', { hasText: complaint }).waitFor()
    await field.fill(before)
  }

  await dialog.getByLabel('Name', { exact: true }).fill('<b>Ada</b> King')
  await dialog.getByLabel('Username').fill('ada-king')
  await dialog.getByLabel('Email').fill('king@example.com')
  await dialog.getByLabel('External id').fill('c-1815')
  await dialog.getByLabel('Language').selectOption('de')
  await dialog.getByLabel('Time zone').selectOption('')
  await save.click()
  await page.getByText('The changes are saved. A mail to king@example.com asks to confirm the address.').waitFor()
  await page.getByRole('heading', { name: 'ada-king' }).waitFor()
  const about = await page.locator('#about').innerText()
  t.match(about, /^<b>Ada<\/b> King\s+ada@example\.com\s+since .*external id c-1815\s+German$/)
  const [requested, changed] = await page.locator('#events li').allInnerTexts()
  t.match(requested, /^Change of the email address requested[^]+by operator grace/)
  t.match(changed, /^Profile changed: Name, Language, Time zone, Username, External id[^]+by operator grace/)
  t.equal((await smtp.next()).reader, 'king@example.com')

  await page.goto(`${url}/events?user=${ada.id}`)
  await page.getByText('Profile changed: Name, Language, Time zone, Username, External id').waitFor()
})
