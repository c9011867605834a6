import t from 'tap'
import type { Page } from 'playwright-core'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'

t.test('sign-in with a provider on another site', { skip: withoutChromium }, async t => {
  const { url, a, b, owner } = await openService(t)
  const browser = await startChromium()
  const person = await newPerson(t, browser)
  const page = await person.newPage()
  const WAYS = [
    ['a', a, 0],
    ['b', b, 1],
  ] as const

  const goToProvider = async (page: Page, index: number) => {
    await page.goto('about:blank')
    await person.context.clearCookies()
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Continue with provider.example' }).nth(index).click()
    await page.locator('button[value=continue]').waitFor()
    t.equal(new URL(page.url()).hostname, 'provider.example')
  }

  for (const [name, provider, index] of WAYS) {
    await t.test(`provider ${name.toUpperCase()}: the dashboard shows the user`, async t => {
      await goToProvider(page, index)
      const landing = page.waitForRequest(
        request => request.isNavigationRequest() && request.url() === `${url}/dashboard`
      )
      await page.locator('button[value=continue]').click()
      const { cookie = '' } = await (await landing).allHeaders()
      t.notMatch(cookie, 'access_token', 'the browser sends no Strict cookies here')
      await page.getByText('ada@example.org').first().waitFor()
      t.equal(page.url(), `${url}/dashboard`)
      await page.getByRole('link', { name: 'Security' }).click()
      t.match(await page.locator('body').innerText(), /Ada Lovelace[^]+this account has no password/)
      t.notOk(await page.getByLabel('Current password').isVisible())
      t.ok(await page.getByRole('button', { name: 'Add password' }).isVisible())
      await page.reload()
      await page.getByText('ada@example.org').first().waitFor()
    })

    await t.test(`provider ${name.toUpperCase()}: cancelled or without an email, a message on /login`, async t => {
      await goToProvider(page, index)
      await page.locator('button[value=cancel]').click()
      await page.getByText('Signing in with provider.example failed.').waitFor()
      t.equal(page.url(), `${url}/login?error=provider_${name}_auth_failed`)

      provider.misbehave = 'no-email'
      await goToProvider(page, index)
      await page.locator('button[value=continue]').click()
      await page.getByText('provider.example did not give us a confirmed email address').waitFor()
      provider.misbehave = undefined
    })
  }

  /** With every cookie that the browser has, as in daily use. */
  const signInAgain = async (page: Page, query = '') => {
    await page.goto(`${url}/login${query}`)
    await page.getByRole('link', { name: 'Continue with provider.example' }).first().click()
    await page.locator('button[value=continue]').click()
  }

  await t.test('sign in, sign out, three times in one browser: no mail about a new sign-in', async t => {
    await page.goto('about:blank')
    await person.context.clearCookies()
    await owner.query('DELETE FROM users')
    const alarms = async () => (await owner.query(`
      SELECT FROM pgboss.job WHERE data->>'kind' = 'new-sign-in' UNION ALL SELECT FROM sign_in_alarms`)).rowCount
    const before = await alarms()
    for (let time = 0; time < 3; time++) {
      await signInAgain(page)
      await page.locator('#account').waitFor()
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.waitForURL(`${url}/login*`)
    }
    const { rows } = await owner.query("SELECT FROM auth_events WHERE what = 'sign_in'")
    t.equal(rows.length, 3)
    t.equal(await alarms(), before)
  })

  await t.test('a sign-in that starts while signed in: one live session', async t => {
    await signInAgain(page)
    await page.getByText('ada@example.org').first().waitFor()
    for (let time = 0; time < 2; time++) {
      await page.evaluate("location.assign('/api/auth/provider-a')")
      await page.locator('button[value=continue]').click()
      await page.getByText('ada@example.org').first().waitFor()
    }
    const { rows } = await owner.query('SELECT revoked_for FROM refresh_tokens ORDER BY signed_in_at')
    t.equal(rows.filter(row => row.revoked_for === null).length, 1)
    t.equal(rows.filter(row => row.revoked_for === 'replaced').length, 2)
  })

  await t.test('`next` of the login page is opened after the sign-in', async t => {
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(`${url}/login*`)
    await signInAgain(page, `?next=${encodeURIComponent('/dashboard?from=app#sessions')}`)
    await page.waitForURL(`${url}/dashboard?from=app#sessions`)
    await page.getByText('ada@example.org').first().waitFor()

    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(`${url}/login*`)
    await signInAgain(page, '?next=%2Fdashboard#sessions')
    await page.waitForURL(`${url}/dashboard#sessions`)
    await page.getByText('ada@example.org').first().waitFor()
    t.strictSame(
      (await person.context.cookies()).map(({ name }) => name).filter(name => name.startsWith('provider_')),
      [],
      'the cookies of the sign-in are cleared'
    )
  })

  await t.test('a social-only account is deleted without a password', async t => {
    await goToProvider(page, 0)
    await page.locator('button[value=continue]').click()
    await page.getByRole('link', { name: 'Data', exact: true }).click()
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const dialog = page.getByRole('dialog')
    t.notOk(await dialog.getByLabel('Your password').isVisible())
    await dialog.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByText('Your account and all its data have been deleted.').waitFor()
    t.equal((await owner.query('SELECT FROM users')).rowCount, 0)
  })
})
