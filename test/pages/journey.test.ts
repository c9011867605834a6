import t from 'tap'
import type { Page } from 'playwright-core'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { secrets } from '../support/build.ts'
import { eventually } from '../support/patience.ts'

const [FIRST, SECOND, THIRD] = ['gl4ss-Harmonica-7!', 'Qu1et-lanterns-above', 'thr33-Umbrellas-sing'] as const
for (const password of [FIRST, SECOND, THIRD]) secrets.add(password)
const PHONE =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) ' +
  'Chrome/156.0.0.0 Mobile Safari/537.36'

t.test('from registration to sign-out', { skip: withoutChromium }, async t => {
  const { url, smtp, owner } = await openService(t)
  const browser = await startChromium()
  const ada = await newPerson(t, browser)
  const page = await ada.newPage()

  async function mailAbout (subject: string) {
    for (;;) {
      const mail = await smtp.next()
      if (mail.subject?.includes(subject)) return { ...mail, link: mail.text?.match(/http\S+#token=\S+/)?.[0] ?? '' }
    }
  }

  async function signIn (page: Page, password: string) {
    await page.getByLabel('Username or email').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('ada@example.com').first().waitFor()
    t.equal(new URL(page.url()).pathname, '/dashboard')
  }

  await t.test('register', async t => {
    await page.goto(`${url}/register`)
    await page.getByLabel('Username').fill('ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Name (optional)').fill('Ada Lovelace')
    await page.getByLabel('Password', { exact: true }).fill(FIRST)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    t.equal(await page.locator(':focus').textContent(), 'Check your email')
    await page.getByText('ada@example.com').first().waitFor()
  })

  await t.test('verify: the token leaves the address bar at once and is used by the click', async t => {
    const { link, token } = await mailAbout('Confirm')
    const asked: string[] = []
    // The page of the registration may still ask for the strength of the password.
    await page.goto('about:blank')
    page.on('request', request => asked.push(`${request.method()} ${request.url()}`))
    await page.goto(link)
    const button = page.getByRole('button', { name: 'Confirm my address' })
    await button.waitFor()
    t.equal(page.url(), `${url}/verify-email`)
    t.equal((await owner.query('SELECT FROM users WHERE email_verified_at IS NULL')).rowCount, 1)
    await button.click()
    await page.waitForURL(`${url}/dashboard`)
    t.equal((await owner.query('SELECT FROM users WHERE email_verified_at IS NULL')).rowCount, 0)
    t.notOk(
      asked.some(request => request.includes(token) && !request.includes('#')),
      'the token was in no URL'
    )
    t.strictSame(
      asked.filter(request => request.startsWith('POST')),
      [`POST ${url}/verify-email`]
    )

    ada.expect('400 /verify-email')
    await page.goto('about:blank')
    await page.goto(link)
    await button.click()
    await page.getByText('This link is no longer valid. You can request a new one').waitFor()
    await page.getByRole('button', { name: 'Send a new link' }).waitFor()
  })

  await t.test('the browser that registered is signed in', async t => {
    await page.goto(`${url}/login`)
    await page.waitForURL(`${url}/dashboard`)
    await page.getByText('Ada Lovelace').first().waitFor()
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByText('This device', { exact: true }).waitFor()
    await page.locator('#events').getByText('Email address confirmed').waitFor()
  })

  const tab = await ada.newPage()
  await t.test('two tabs with an expired token: one refresh', async t => {
    await tab.goto(`${url}/dashboard`)
    await tab.getByText('Ada Lovelace').first().waitFor()
    ada.expect(...['account', 'sessions', 'events', 'factors', 'applications'].map(path => `401 /api/auth/${path}`))
    const refreshes: string[] = []
    ada.context.on('response', response => {
      if (response.url().endsWith('/api/auth/refresh')) refreshes.push(String(response.status()))
    })
    const loaded = [page, tab].map(each =>
      each.waitForResponse(response => response.url().endsWith('/api/auth/events') && response.ok())
    )
    await ada.context.clearCookies({ name: 'access_token' })
    await Promise.all(
      [page, tab].map(each => each.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))))
    )
    await Promise.all(loaded)
    t.strictSame(refreshes, ['200'])
    for (const each of [page, tab]) t.ok(await each.getByText('Ada Lovelace').first().isVisible())
    t.strictSame((await owner.query('SELECT generation FROM refresh_tokens')).rows, [{ generation: 1 }])
  })

  await t.test('end the session of another device', async t => {
    const phone = await newPerson(t, browser, { userAgent: PHONE })
    const phonePage = await phone.newPage()
    await phonePage.goto(`${url}/login`)
    await signIn(phonePage, FIRST)
    await page.bringToFront()
    await page.reload()
    const item = page.locator('#devices li', { hasText: 'Chrome on Android' })
    await item.getByText(phone.address).waitFor()
    t.equal(await page.locator('#devices li').count(), 2)
    await item.getByRole('button', { name: 'End session on Chrome on Android' }).click()
    await page.getByText('Chrome on Android has been signed out.').waitFor()
    t.equal(await page.locator('#devices li').count(), 1)
    t.ok(await page.getByText('You are not signed in on any other device.').isVisible())

    phone.expect('401 /api/auth/refresh')
    await phone.context.clearCookies({ name: 'access_token' })
    await phonePage.goto(`${url}/dashboard`)
    await phonePage.waitForURL(/\/login\?next=%2Fdashboard$/)
  })

  await t.test('change the password', async t => {
    ada.expect('403 /api/auth/password', '422 /api/auth/password')
    const change = async (current: string, password: string) => {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel('New password').fill(password)
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByRole('button', { name: 'Change password' }).click()
    await change('not it', SECOND)
    await page.getByText('This is not your current password.').waitFor()
    t.equal(await page.locator(':focus').getAttribute('id'), 'current')
    await change(FIRST, 'ada-1A!')
    await page.getByText('This password is not accepted.').waitFor()
    t.equal(await page.locator(':focus').getAttribute('id'), 'new-password')
    await change(FIRST, SECOND)
    await page.getByText('Your password has been changed.').waitFor()
    t.notOk(await page.getByLabel('New password').isVisible(), 'the form is closed')
    t.equal(await page.getByLabel('New password').inputValue(), '')
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.locator('#events').getByText('Password changed').waitFor()
  })

  await t.test('reset the password: every session ends', async t => {
    await page.goto(`${url}/reset-password`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    const { link } = await mailAbout('Choose a new password')
    await page.goto(link)
    await page.getByLabel('New password').fill(THIRD)
    t.equal(page.url(), `${url}/reset-password`)
    await page.getByRole('button', { name: 'Save the new password' }).click()
    await page.getByRole('heading', { name: 'Your password has been changed' }).waitFor()

    ada.expect('401 /api/auth/refresh')
    await tab.bringToFront()
    await ada.context.clearCookies({ name: 'access_token' })
    await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await tab.waitForURL(/\/login\?reason=ended&next=%2Fdashboard$/)
    await tab.getByText('Your session has ended.').waitFor()
    await signIn(tab, THIRD)
  })

  await t.test('sign out: in all tabs, and the back button shows nothing private', async t => {
    await page.goto(`${url}/dashboard`)
    await page.getByText('Ada Lovelace').first().waitFor()
    await page.goto(`${url}/reset-password`)
    await tab.getByRole('button', { name: 'Sign out', exact: true }).click()
    await tab.waitForURL(/\/login\?reason=signed-out$/)
    await tab.getByText('You are signed out.').waitFor()
    t.strictSame(
      (await ada.context.cookies()).map(({ name }) => name).filter(name => name.endsWith('_token')),
      []
    )

    for (const each of [page, tab]) {
      await each.goBack()
      await eventually(() => each.url(), at => !at.includes('/dashboard'))
      t.notMatch(await each.locator('body').innerText(), /Ada|ada@example\.com|10\.2\./)
    }
  })
})
