import type { Page } from 'playwright-core'
import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

/** The heading that only this section has. */
const SECTIONS: Array<[name: string, path: string, heading: string]> = [
  ['Profile', '/dashboard', 'Email address'],
  ['Security', '/dashboard/security', 'Ways to sign in'],
  ['Devices', '/dashboard/devices', 'Your devices'],
  ['Applications', '/dashboard/applications', 'Connected applications'],
  ['Data', '/dashboard/data', 'Your data'],
]
const PHONE = { width: 390, height: 844 }

const link = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

t.test('the sections of the dashboard', { skip: withoutChromium }, async t => {
  const app = 'http://app.gatehouse.localhost:1'
  const house = await openService(t, { OPENID: 'on', APP_ORIGINS: app, LOGIN_REDIRECT: '/home?from=gatehouse' })
  const { url, owner } = house
  const browser = await startChromium()

  async function arrive (path = '/dashboard', options = {}) {
    const user = await createUser(owner, { name: 'Ada Byron' })
    const person = await newPerson(t, browser, { reducedMotion: 'reduce', ...options })
    await person.signIn(house, user.username)
    const page = await person.newPage()
    await page.goto(url + path)
    await page.locator('#account').waitFor()
    return { user, person, page }
  }

  /** This section is shown, and no other. */
  async function isShown (page: Page, [name, path, title]: typeof SECTIONS[number]) {
    await heading(page, title).waitFor()
    t.equal(page.url(), url + path)
    for (const [, , other] of SECTIONS) t.equal(await heading(page, other).isVisible(), other === title, other)
    t.equal(await page.title(), `${path === '/dashboard' ? 'Your account' : name} · Gatehouse`)
  }

  await t.test('tabs: each has its address, and back, forward and a reload show it again', async t => {
    const { page } = await arrive()
    const loads: string[] = []
    page.on('request', request => { if (request.isNavigationRequest()) loads.push(request.url()) })
    for (const section of SECTIONS) {
      await link(page, section[0]).click()
      await isShown(page, section)
      t.equal(await link(page, section[0]).getAttribute('aria-current'), 'page')
      t.equal(await page.locator('#sections [aria-current]').count(), 1)
    }
    t.strictSame(loads, [], 'the page is not loaded again')
    for (const section of SECTIONS.toReversed().slice(1)) {
      await page.goBack()
      await isShown(page, section)
    }
    for (const section of SECTIONS.slice(1)) {
      await page.goForward()
      await isShown(page, section)
    }
    for (const section of SECTIONS) {
      await page.goto(url + section[1])
      await page.reload()
      await isShown(page, section)
    }
  })

  await t.test('the first paint names the section, without a script', async t => {
    const scriptless = await (await newPerson(t, browser, { javaScriptEnabled: false })).newPage()
    await scriptless.goto(`${url}/dashboard/devices`)
    t.equal(await link(scriptless, 'Devices').getAttribute('aria-current'), 'page')
    t.equal(await scriptless.title(), 'Devices · Gatehouse')
    await link(scriptless, 'Data').click()
    await scriptless.waitForURL(`${url}/dashboard/data`)
  })

  await t.test('with the keyboard: the heading of the section gets the focus', async t => {
    const { page } = await arrive()
    await link(page, 'Security').focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Ways to sign in').waitFor()
    t.equal(await focused(page), 'Security')
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'Add a passkey', 'the next stop is in the section')
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      link(page, 'Data').click({ modifiers: ['ControlOrMeta'] }),
    ])
    await tab.waitForURL(`${url}/dashboard/data`)
    t.equal(page.url(), `${url}/dashboard/security`)
  })

  await t.test('on a phone: a list, and a way back from each section', async t => {
    const { user, page } = await arrive('/dashboard', { viewport: PHONE })
    const back = page.getByRole('link', { name: 'Your account', exact: true })
    t.notOk(await back.isVisible())
    for (const section of SECTIONS.slice(1)) {
      await link(page, section[0]).click()
      await isShown(page, section)
      t.ok(await page.getByRole('heading', { level: 1, name: section[0] }).isVisible())
      t.notOk(await page.getByRole('navigation').isVisible())
      t.ok(await page.getByText(user.email).first().isVisible(), 'who is signed in')
      const [height = 0, width] = await page.evaluate(() =>
        [document.documentElement.scrollHeight, document.documentElement.scrollWidth])
      t.ok(height < 1_700, `${section[0]}: ${height} pixels long`)
      t.equal(width, PHONE.width)
      await back.click()
      await isShown(page, SECTIONS[0] as typeof SECTIONS[number])
    }
  })

  await t.test('links of mails and of earlier versions: the section and the place that they name', async t => {
    const PLACES = [
      ['/dashboard#password', 'Password'],
      ['/dashboard#factors', 'Ways to sign in'],
      ['/dashboard?provider=x#providers', 'Sign-in through other services'],
      ['/dashboard#email-section', 'Email address'],
    ]
    for (const [path = '', title = ''] of PLACES) {
      const { page } = await arrive(path)
      await heading(page, title).waitFor()
      await page.close()
    }
    const { page } = await arrive('/.well-known/change-password')
    await page.locator('#current:focus').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    t.notOk(await page.getByLabel('Current password').isVisible())
    t.equal(await page.locator(':focus').getAttribute('id'), 'edit-password')
  })

  await t.test('not signed in: back to the same section after the sign-in', async t => {
    const user = await createUser(owner)
    const page = await (await newPerson(t, browser)).newPage()
    await page.goto(`${url}/dashboard/devices`)
    await page.getByLabel('Username or email').fill(user.username)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await heading(page, 'Your devices').waitFor()
    t.equal(page.url(), `${url}/dashboard/devices`)
  })

  await t.test('a new name: in a form that opens on demand, then in all that shows it', async t => {
    const { user, person, page } = await arrive()
    const edit = page.getByRole('button', { name: 'Change Name' })
    const field = page.getByRole('textbox', { name: 'Name (optional)' })
    t.notOk(await field.isVisible())
    await edit.click()
    t.equal(await field.inputValue(), 'Ada Byron')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('  <b>Zoë</b> King ')
    await page.keyboard.press('Enter')
    await page.getByText('Your name has been changed.').waitFor()
    t.equal(await page.locator('#name').innerText(), '<b>Zoë</b> King')
    t.equal(await page.locator('#initial').innerText(), '<')
    t.notOk(await field.isVisible())
    t.equal(await page.locator(':focus').getAttribute('id'), 'edit-name')

    await edit.click()
    await field.fill('')
    await page.keyboard.press('Enter')
    await page.getByText('Not given').waitFor()
    t.equal(await page.locator('#name').innerText(), user.username)
    t.equal((await owner.query('SELECT name FROM users WHERE id = $1', [user.id])).rows[0].name, null)

    person.expect('400 /api/auth/me')
    await edit.click()
    await field.evaluate(input => { (input as HTMLInputElement).value = 'one\u0007two' })
    await page.keyboard.press('Enter')
    await page.getByText('Please check this field.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await edit.click()
    t.equal(await field.inputValue(), '', 'a cancelled change is forgotten')
  })

  await t.test('the brand leads back to the app: never to another host', async t => {
    const { page } = await arrive()
    const brand = page.locator('#way-back')
    t.equal(await brand.getAttribute('href'), '/home?from=gatehouse')
    const UNSAFE = [
      'https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', `${app}.evil.example/`,
      'http://app.gatehouse.localhost:1@evil.example/', '/.//evil.example', 'data:text/html,x',
    ]
    for (const next of UNSAFE) {
      await page.goto(`${url}/dashboard?next=${encodeURIComponent(next)}`)
      await page.locator('#account').waitFor()
      t.equal(await brand.getAttribute('href'), '/home?from=gatehouse', next)
    }
    for (const next of ['/orders?id=7#top', `${app}/orders`]) {
      await page.goto(`${url}/dashboard?next=${encodeURIComponent(next)}`)
      await eventually(() => brand.getAttribute('href'), href => href === next)
      await link(page, 'Security').click()
      await page.reload()
      await page.locator('#account').waitFor()
      t.equal(await brand.getAttribute('href'), next, 'also after a reload')
    }
  })

  await t.test('the brand leads back to the app whose page has the link', async t => {
    for (const [host, expected] of [[app, `${app}/`], ['https://evil.example', '/home?from=gatehouse']] as const) {
      const { page } = await arrive()
      await page.route(`${host}/**`, route => route.fulfill({
        contentType: 'text/html', body: `<a href="${url}/dashboard/devices">Account</a>`,
      }))
      await page.goto(`${host}/orders`)
      await page.getByRole('link', { name: 'Account' }).click()
      await heading(page, 'Your devices').waitFor()
      t.equal(await page.locator('#way-back').getAttribute('href'), expected)
    }
  })
})
