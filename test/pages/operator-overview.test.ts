import t from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'

t.test('the overview: charts of what was counted, as numbers too, updated while one looks', {
  skip: withoutChromium,
}, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium())
  const user = await createUser(owner)
  for (const password of [undefined, undefined, 'wrong-Guess-77-again']) {
    await createBrowser(app).signIn(user.username, password)
  }
  await owner.query(`INSERT INTO sign_in_counts
    VALUES ('hour', date_trunc('hour', now()) - interval '2 days', 'sign_in:provider', 40)`)
  await owner.query('DELETE FROM account_totals')
  await app.accountTotals.count()
  const { page } = await newPage()
  const textOf = async (id: string) => (await page.locator(`#${id}`).innerText()).replace(/\s+/g, ' ')

  await page.goto(`${url}/`)
  await page.locator('#sign-ins-sum').getByText('2 in all').waitFor()
  t.equal(await textOf('sign-ins-sum'), '2 in all, at most 2 in an hour')
  t.equal(await page.locator('#sign-ins g').count(), 24)
  t.equal(await textOf('failures-legend'), 'Password, passkey or mail 1 Second factor 0 Provider 0')
  t.equal(await textOf('accounts'), '2')
  t.equal(await textOf('share'), '50%')
  t.equal(await textOf('sessions'), '2')
  t.equal(await page.locator('#sessions-chart svg').count(), 1)
  t.notOk(await page.locator('#mails-link').isVisible(), 'no link where nothing waits')
  await checkLooks(t, page)
  await page.getByRole('button', { name: 'Hour', exact: true }).click()
  t.equal(await page.locator('#sign-ins g').count(), 60)
  t.equal(await page.locator('#sessions-chart').isVisible(), false)
  await page.getByRole('button', { name: '30 days' }).click()
  t.match(page.url(), /\?period=month$/)
  t.equal(await page.locator('#sign-ins g').count(), 30)
  await page.getByRole('button', { name: '7 days' }).click()
  t.equal(await page.locator('#sign-ins g').count(), 7)
  t.equal(await textOf('sign-ins-sum'), '42 in all, at most 40 in a day')
  t.equal(await textOf('sign-ins-legend'), 'Password 2 Passkey 0 Provider 40 Mail 0')
  await page.locator('#sign-ins g').nth(4).hover()
  t.match(await textOf('sign-ins-value'), /\d{4}: Password 0, Passkey 0, Provider 40, Mail 0$/)
  t.equal(await page.locator('#sign-ins rect.series-3').count(), 1)
  const [bar, axis] = [page.locator('#sign-ins rect.series-3'), page.locator('#sign-ins .grid').first()]
  const height = Number(await bar.getAttribute('height'))
  t.equal(Number(await bar.getAttribute('y')) + height, Number(await axis.getAttribute('y1')), 'on the axis')
  t.match(await page.locator('#sign-ins svg').getAttribute('aria-label'), 'Sign-ins: 42 in all')
  await page.locator('section', { has: page.locator('#sign-ins') }).getByText('Numbers').click()
  t.match(await page.locator('#sign-ins-rows tr').last().innerText(), /\b0\s+0\s+40\s+0$/)
  await checkLooks(t, page)

  await createBrowser(app).signIn(user.username, 'wrong-Guess-77-again')
  await page.locator('#failures-sum').getByText('2 in all').waitFor()
})

t.test('the overview asks for nothing while the page is hidden', { skip: withoutChromium }, async t => {
  const { operatorUrl: url, newPage } = await openOperatorPage(t, await startChromium())
  const { page } = await newPage()
  await page.clock.install()
  let requests = 0
  page.on('request', request => { if (request.url().includes('/api/v1/overview?')) requests++ })
  const setVisibility = (state: string) => page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
  const answered = () => page.waitForResponse(response => response.url().includes('/api/v1/overview?'))

  const first = answered()
  await page.goto(`${url}/`)
  await first
  await page.locator('#sessions-chart svg').waitFor()
  const second = answered()
  await page.clock.runFor(6_000)
  await second
  t.equal(requests, 2)
  await setVisibility('hidden')
  await page.clock.runFor(120_000)
  t.ok(requests <= 2, `${requests} requests`)
  const third = answered()
  await setVisibility('visible')
  await third
})
