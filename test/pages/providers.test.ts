import t from 'tap'
import { createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'

t.test('providers on the pages', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { url, owner } = service
  const browser = await startChromium()
  const goOn = 'button[value=continue]'

  await t.test('dashboard: connect with a click at the provider, sign in with it and `next`, disconnect', async t => {
    const person = await newPerson(t, browser)
    const user = await createUser(owner)
    await person.signIn(service, user.username)
    const page = await person.newPage()
    await page.goto(`${url}/dashboard/security`)
    const section = page.locator('#providers')
    await section.getByRole('button', { name: 'Connect Mooncrumb' }).click()
    await page.locator(goOn).click()
    await section.getByText('You can now sign in with Mooncrumb.').waitFor()
    t.equal(page.url(), `${url}/dashboard#providers`, 'the outcome is not left in the address')
    await section.getByText('ada@example.org').waitFor()
    await page.getByText(user.email).first().waitFor()
    t.match((await owner.query('SELECT user_id FROM identities')).rows, [{ user_id: user.id }])

    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(`${url}/login*`)
    await page.goto(`${url}/login?next=${encodeURIComponent('/dashboard?from=app#providers')}`)
    const link = page.getByRole('link', { name: 'Continue with Mooncrumb' })
    t.ok(await page.evaluate("[...document.querySelectorAll('.providers img')].every(image => image.naturalWidth > 0)"))
    await link.click()
    await page.locator(goOn).click()
    await page.waitForURL(`${url}/dashboard?from=app#providers`)
    await page.getByText(user.email).first().waitFor()

    await section.getByRole('button', { name: 'Disconnect Mooncrumb' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await section.getByText('Mooncrumb was disconnected.').waitFor()
    await section.getByRole('button', { name: 'Connect Mooncrumb' }).waitFor()
    t.equal((await owner.query('SELECT FROM identities')).rowCount, 0)
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByText('External provider disconnected').waitFor()
  })

  await t.test('dashboard: a stale session confirms the password first', async t => {
    const person = await newPerson(t, browser)
    const user = await createUser(owner)
    await person.signIn(service, user.username)
    await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
    person.expect('403 /api/auth/providers/demo-c/connect')
    const page = await person.newPage()
    await page.goto(`${url}/dashboard/security`)
    await page.getByRole('button', { name: 'Connect Mooncrumb' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(user.password)
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await page.locator('button[value=cancel]').click()
    await page.getByText('Mooncrumb was not connected.').waitFor()
  })

  await t.test('dashboard: the user of another account, and the last way in', async t => {
    const person = await newPerson(t, browser)
    const page = await person.newPage()
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Continue with Mooncrumb' }).click()
    await page.locator(goOn).click()
    const section = page.locator('#providers')
    await page.getByRole('link', { name: 'Security' }).click()
    await section.getByRole('button', { name: 'Disconnect Mooncrumb' }).click()
    person.expect('409 /api/auth/providers/demo-c')
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await section.getByText('it is your last way to sign in').waitFor()

    const other = await newPerson(t, browser)
    await other.signIn(service, (await createUser(owner)).username)
    const theirs = await other.newPage()
    await theirs.goto(`${url}/dashboard/security`)
    await theirs.getByRole('button', { name: 'Connect Mooncrumb' }).click()
    await theirs.locator(goOn).click()
    await theirs.getByText('This account at Mooncrumb belongs to another user here').waitFor()
  })

  await t.test('login page: cancelled at the provider, a message with its name', async t => {
    const person = await newPerson(t, browser)
    const page = await person.newPage()
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Continue with Mooncrumb' }).click()
    await page.locator('button[value=cancel]').click()
    await page.getByText('Signing in with Mooncrumb failed.').waitFor()
    t.equal(page.url(), `${url}/login?error=demo-c_auth_failed`)
  })
})
