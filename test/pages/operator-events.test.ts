import t from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { secrets } from '../support/build.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'

const options = { skip: withoutChromium }
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

t.test('events of all accounts: in words, by kind, account, address and time, in pages', options, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium())
  const [ada, bob] = [await createUser(owner, { username: 'ada' }), await createUser(owner, { username: 'bob' })]
  const here = createBrowser(app, { userAgent: CHROME })
  await here.signIn('ada')
  await createBrowser(app).signIn('bob', 'wrong-Guess-77-again')
  await owner.query(`INSERT INTO auth_events (what, user_id, created_at)
    SELECT 'sign_out', $1, '2026-01-01'::timestamptz + n * interval '1 minute' FROM generate_series(1, 60) n`, [bob.id])
  await owner.query("INSERT INTO auth_events (what, subject, actor) VALUES ('webhook_paused', 'hook', 'key billing')")
  const { page } = await newPage()
  await page.goto(`${url}/events`)
  const row = page.locator('#events tr', { hasText: here.address })
  t.match(await row.innerText(), /Signed in\s+ada\s+[\d.]+\s*Chrome on Linux/)
  t.match(await page.locator('#events tr', { hasText: 'Webhook paused' }).innerText(), /hook\s+–\s+key billing/)
  t.equal(await page.locator('#events tr').count(), 50)
  await checkLooks(t, page)
  await page.getByRole('button', { name: 'More' }).click()
  await page.locator('#events tr').nth(60).waitFor()

  const show = async () => {
    const answered = page.waitForResponse(/\/events\?/)
    await page.getByRole('button', { name: 'Show' }).click()
    await answered
  }
  await page.getByLabel('Event', { exact: true }).selectOption('Failed sign-in attempt')
  await show()
  await page.locator('#events tr:only-child', { hasText: 'bob' }).waitFor()
  await page.getByLabel('Username or email').fill('ada')
  await show()
  await page.getByText('No events.').waitFor()
  await checkLooks(t, page)
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.waitForURL(`${url}/events`)
  await row.getByRole('link', { name: here.address }).click()
  await page.waitForURL(/\?address=/)
  await page.locator('#events tr:only-child', { hasText: 'Chrome on Linux' }).waitFor()
  await page.getByText('in the last seven days').waitFor()

  await page.goto(`${url}/events`)
  await page.getByLabel('Until').fill('2026-02-01T00:00')
  await show()
  await page.locator('#events tr:first-child', { hasText: 'Signed out' }).waitFor()
  await page.goto(`${url}/accounts/${ada.id}`)
  await page.getByRole('link', { name: 'Filter these events' }).click()
  await page.getByText('Only of the account ada.').waitFor()
})

t.test('operators and what they may do; the menu on a narrow screen; no notice without news', options, async t => {
  const { operatorUrl: url, app, owner, newPage, newVisitor } = await openOperatorPage(t, await startChromium(), {
    BRAND_LOGO: '/demo-logo.svg',
  })
  const ada = await createUser(owner, { username: 'ada' })
  await app.operators.add(ada.id)
  secrets.add(await app.apiKeys.add('billing', ['users:read']) as string)
  const { page, person } = await newPage({ viewport: { width: 390, height: 800 } })
  person.expect(/demo-logo/)
  await page.goto(`${url}/accounts`)
  await page.getByText('2 accounts in total').waitFor()
  t.equal(await page.getByRole('link', { name: 'Operators', exact: true }).count(), 0, 'the menu is closed')
  await page.getByRole('button', { name: 'Menu' }).press('Enter')
  await checkLooks(t, page)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('link', { name: 'Service' }).focus()
  await page.keyboard.press('Escape')
  t.equal(await page.evaluate(() => document.activeElement?.id), 'menu-button')
  t.equal(await page.getByRole('link', { name: 'Operators', exact: true }).count(), 0)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Operators', exact: true }).click()
  await page.waitForURL(`${url}/operators`)
  await page.setViewportSize({ width: 1280, height: 800 })
  const links = page.locator('#menu nav a')
  const tops = await links.evaluateAll(all => all.map(link => link.getBoundingClientRect().top))
  t.equal(new Set(tops).size, 1, 'one line on a wide screen')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.locator('#operators tr', { hasText: 'grace' }).getByText('Can sign in').waitFor()
  await page.locator('#operators tr', { hasText: 'ada' }).getByText('No second factor').waitFor()
  t.match(await page.locator('tr[data-scope="users:read"]').innerText(), /Search accounts.*billing/s)
  t.match(await page.locator('tr[data-scope="users:write"]').first().innerText(), /None/)
  await checkLooks(t, page)
  const logo = await page.locator('header img').getAttribute('src') ?? ''
  t.match(logo, /^http:\/\/gatehouse\.localhost:\d+\/demo-logo\.svg$/, 'on the host of the service')
  t.not(new URL(logo).port, new URL(url).port)
  t.match(await page.locator('meta[http-equiv]').getAttribute('content'), `img-src 'self' ${new URL(logo).origin}`)

  const visitor = await newVisitor()
  visitor.expect('401 /operator/api/v1/session', /demo-logo/)
  const first = await visitor.newPage()
  await first.goto(`${url}/accounts`)
  await first.waitForURL(/\/operator\/sign-in\?next=/)
  t.equal(await first.locator('.notice:visible').count(), 0)
  person.expect(/^401 /)
  await page.goto(`${url}/accounts`)
  await page.getByText('2 accounts in total').waitFor()
  await owner.query('DELETE FROM operator_sessions')
  await page.getByRole('searchbox').fill('ada')
  await page.waitForURL(/\/operator\/sign-in\?reason=ended/)
  await page.getByText('Your session has ended. Please sign in again.').waitFor()
})
