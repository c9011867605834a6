import { readFile } from 'node:fs/promises'
import t from 'tap'
import type { Page } from 'playwright-core'
import { createBrowser, createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

t.test('/dashboard', { skip: withoutChromium }, async t => {
  const house = await openService(t)
  const { url, app, owner } = house
  const browser = await startChromium()

  const person = await newPerson(t, browser)

  async function signedIn ({ clock = false, section = '' } = {}) {
    const user = await createUser(owner, { name: '<b>Bobby</b>' })
    await Promise.all(person.context.pages().map(page => page.close()))
    await person.context.clearCookies()
    await person.signIn(house, user.username)
    const page = await person.newPage()
    if (clock) await page.clock.install()
    await page.goto(`${url}/dashboard${section}`)
    await page.getByText(user.email).first().waitFor()
    return { user, page }
  }

  const isPrivate = async (page: Page) => page.locator('#account').isVisible()

  await t.test('not signed in: to the login page', async t => {
    const page = await person.newPage()
    await page.goto(`${url}/dashboard`)
    await page.waitForURL(`${url}/login?next=%2Fdashboard`)
  })

  await t.test('devices and events in words; input is never markup', async t => {
    const { user, page } = await signedIn({ section: '/devices' })
    await createBrowser(app, { userAgent: '<img src=x onerror=alert(1)>' }).signIn(user.username)
    for (let failed = 0; failed < 8; failed++) await createBrowser(app).signIn(user.username, 'wrong')
    await page.reload()
    await page.getByText('Unknown device').first().waitFor()
    t.equal(await page.locator('#name').innerText(), '<b>Bobby</b>')
    t.match(
      await page.locator('#devices li').first().innerText(),
      /^Firefox on Linux This device\s+10\.1\.\d+\.\d+\s+First used (now|\d+ seconds? ago) last used/
    )
    t.match(await page.locator('#devices time').first().getAttribute('datetime'), /^\d{4}-\d\d-\d\dT/)
    t.equal(await page.locator('#events li:visible').count(), 6)
    await page.getByRole('button', { name: 'Show all' }).click()
    t.equal(await page.locator('#events li:visible').count(), 10)
    t.match(
      await page.locator('#events li').first().innerText(),
      /^Failed sign-in attempt\s+Firefox on Linux\s+10\./
    )
    t.equal(await page.locator('img[src=x], #name b').count(), 0)
  })

  await t.test('end all other sessions', async t => {
    const { user, page } = await signedIn({ section: '/devices' })
    const others = [createBrowser(app), createBrowser(app)]
    for (const other of others) await other.signIn(user.username)
    await page.reload()
    await page.getByRole('button', { name: 'Sign out all other devices' }).dblclick()
    await page.getByText('All other devices have been signed out.', { exact: true }).waitFor()
    t.equal(await page.locator('#devices li').count(), 1)
    for (const other of others) t.equal((await other.refresh()).statusCode, 401)
    t.equal(
      (await owner.query("SELECT FROM auth_events WHERE what = 'other_sessions_ended' AND user_id = $1", [user.id]))
        .rowCount,
      1
    )
  })

  await t.test('refreshes the token in time, also after sleep: no refused request', async t => {
    const { page } = await signedIn({ clock: true })
    const asked: string[] = []
    page.on('response', response =>
      asked.push(`${response.request().method()} ${new URL(response.url()).pathname} ${response.status()}`)
    )
    const refreshed = () => asked.filter(each => each === 'POST /api/auth/refresh 200').length
    await person.context.clearCookies({ name: 'access_token' })
    await page.clock.fastForward(16 * 60_000)
    await eventually(refreshed, count => count === 1)

    await t.test('refreshes the token when the tab becomes visible before the timer runs', async t => {
      await eventually(() => asked.at(-1), last => last === 'GET /api/auth/session 200')
      await person.context.clearCookies({ name: 'access_token' })
      await page.clock.setSystemTime(Date.now() + 60 * 60_000)
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await eventually(() => asked.filter(each => each === 'GET /api/auth/events 200').length, count => count === 1)
      t.equal(refreshed(), 2)
      t.strictSame(
        asked.filter(each => !each.endsWith('200')),
        []
      )
    })
  })

  await t.test('session ended elsewhere: to the login page, with a message', async t => {
    const { user, page } = await signedIn({ clock: true })
    person.expect('401 /api/auth/refresh')
    await owner.query(
      "UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'ended_by_user' WHERE user_id = $1",
      [user.id]
    )
    await person.context.clearCookies({ name: 'access_token' })
    await page.clock.fastForward(16 * 60_000)
    await page.waitForURL(/\/login\?reason=ended/)
    await page.getByText('Your session has ended. Please sign in again.').waitFor()
  })

  await t.test('deleted account with a valid access token: to the login page, no redirect loop', async t => {
    const { user, page } = await signedIn()
    person.expect('401 /api/auth/account', '401 /api/auth/factors')
    // As in the moment before the instance knows that the session has ended.
    await owner.query('ALTER TABLE refresh_tokens DISABLE TRIGGER USER')
    await owner.query('DELETE FROM users WHERE id = $1', [user.id])
    await owner.query('ALTER TABLE refresh_tokens ENABLE TRIGGER USER')
    await page.reload()
    await page.getByText('Your session has ended. Please sign in again.').waitFor()
    t.strictSame(
      (await person.context.cookies()).filter(({ name }) => name.endsWith('_token')),
      []
    )
  })

  await t.test('sign-out in one tab: also in the other tab', async t => {
    const { page } = await signedIn()
    const tab = await person.newPage()
    await tab.goto(`${url}/dashboard`)
    await tab.locator('#account').waitFor()
    await tab.getByRole('button', { name: 'Sign out', exact: true }).click()
    for (const each of [tab, page]) await each.waitForURL(`${url}/login?reason=signed-out`)
  })

  await t.test('the account is shown when all of it is read: a sign-out then refuses no request', async t => {
    const { page } = await signedIn()
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/api/auth/applications', async route => {
      asked.resolve()
      await released.promise
      await route.continue()
    })
    const others = ['account', 'sessions', 'events', 'factors'].map(name =>
      page.waitForResponse(`${url}/api/auth/${name}`))
    await page.reload()
    await Promise.all([asked.promise, ...others])
    await page.evaluate('new Promise(requestAnimationFrame)')
    t.notOk(await isPrivate(page))
    released.resolve()
    await page.locator('#account').waitFor()
  })

  await t.test('back button: the session is checked again before anything is shown', async t => {
    const { page } = await signedIn()
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
    t.notOk(await isPrivate(page), 'hidden when it is left')
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.locator('#account').waitFor()
    await person.context.clearCookies()
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.waitForURL(`${url}/login?next=%2Fdashboard`)
  })

  await t.test('service unreachable: a message, and retries', async t => {
    const { page } = await signedIn({ clock: true })
    person.expect('net::ERR_FAILED /api/auth/session')
    await page.route('**/api/auth/session', route => route.abort())
    await page.goto(`${url}/dashboard`)
    await page.getByText('The service cannot be reached. Trying again…').waitFor()
    await page.unroute('**/api/auth/session')
    await page.clock.runFor(5_000)
    await eventually(() => isPrivate(page), shown => shown)
  })

  await t.test('download of all data: after a confirmation, a file', async t => {
    const { user, page } = await signedIn({ section: '/data' })
    await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 h' WHERE user_id = $1", [user.id])
    person.expect('403 /api/auth/export')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Download my data' }).click()
    await dialog.getByText('Please confirm your identity to continue.').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Confirm' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'account-data.json')
    t.match(JSON.parse(await readFile(await download.path(), 'utf8')), { account: { id: user.id, email: user.email } })
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByText('Personal data downloaded').waitFor()
  })

  await t.test('delete the account: confirmation and password', async t => {
    const { user, page } = await signedIn({ section: '/data' })
    person.expect('403 /api/auth/me')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    t.equal(await page.locator(':focus').getAttribute('id'), 'delete-password')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    t.notOk(await dialog.isVisible())
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const finish = dialog.getByRole('button', { name: 'Delete my account' })
    await finish.click()
    await dialog.getByText('Please fill in this field.').waitFor()
    await dialog.getByLabel('Your password').fill('wrong')
    await finish.click()
    await dialog.getByText('This is not your current password.').waitFor()
    t.equal(await page.locator(':focus').getAttribute('id'), 'delete-password')
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await finish.click()
    await page.getByText('Your account and all its data have been deleted.').waitFor()
    t.equal((await owner.query('SELECT FROM users WHERE id = $1', [user.id])).rowCount, 0)
  })
})
