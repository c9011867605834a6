import t from 'tap'
import type { Page } from 'playwright-core'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violationsInBothColors } from '../support/pages/axe.ts'

const alertOf = (page: Page) => page.getByRole('alert').filter({ hasText: /./ })

async function fillIn (page: Page, username: string, password: string) {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

t.test('/login', { skip: withoutChromium }, async t => {
  const house = await openService(t, { LIMIT_LOGIN_MAX: '5' })
  const { url, owner } = house
  const browser = await startChromium()
  const user = await createUser(owner)
  const person = await newPerson(t, browser)
  person.expect('401 /login')
  const page = await person.newPage()
  t.beforeEach(async () => {
    await page.goto('about:blank')
    await person.context.clearCookies()
  })
  const submit = { name: 'Sign in', exact: true }

  await t.test('a message for each error, never text from the link', async t => {
    const NO_EMAIL = 'error_description=No+email+came+from+the+provider'
    const SENTENCES: Array<[query: string, sentence: string]> = [
      ['error=provider_a_auth_failed', 'Signing in with provider.example failed. Please try again.'],
      ['error=provider_b_auth_failed', 'Signing in with provider.example failed. Please try again.'],
      [
        `error=provider_a_auth_failed&${NO_EMAIL}`,
        'provider.example did not give us a confirmed email address, so we cannot sign you in.',
      ],
      [
        `error=provider_b_auth_failed&${NO_EMAIL}`,
        'provider.example did not give us a confirmed email address, so we cannot sign you in.',
      ],
      ['error=callback_failed', 'We could not complete the sign-in.'],
      [
        'error=provider_a_auth_failed&error_description=Call+0900+now+<img+src=x>',
        'Signing in with provider.example failed. Please try again.',
      ],
      ['error=<script>alert(1)</script>', 'Signing in failed. Please try again.'],
      ['error=', 'Signing in failed. Please try again.'],
      ['error=__proto__', 'Signing in failed. Please try again.'],
      ['reason=ended', 'Your session has ended. Please sign in again.'],
      ['reason=deleted', 'Your account and all its data have been deleted.'],
    ]
    for (const [query, sentence] of SENTENCES) {
      await page.goto(`${url}/login?${query}`)
      t.match(await alertOf(page).innerText(), sentence)
      t.notMatch(await page.locator('body').innerText(), /0900|script/)
    }
    await page.getByRole('button', submit).click()
    t.equal(await page.locator('#arrival').innerText(), '', 'gone at the next submission')
    await page.goto(`${url}/login?reason=<b>`)
    await page.getByRole('button', submit).click()
    t.equal(await page.locator('#arrival').innerText(), '')
  })

  await t.test('errors are shown, announced and focused', async t => {
    await page.goto(`${url}/login`)
    await page.getByRole('button', submit).click()
    t.equal(await page.locator('[aria-invalid=true]').count(), 2)
    t.equal(await page.locator(':focus').getAttribute('id'), 'username')
    t.equal(await page.locator('#username-complaint').innerText(), 'Please fill in this field.')
    t.equal(await page.locator('#username').getAttribute('aria-describedby'), 'username-complaint')

    await fillIn(page, user.username, 'wrong')
    t.equal(await page.locator('[aria-invalid=true]').count(), 0)
    await page.getByRole('button', submit).click()
    t.match(await alertOf(page).innerText(), 'Username or password is incorrect.')
    t.equal(await page.getByRole('button', submit).getAttribute('aria-busy'), 'false')
  })

  await t.test('a wrong password: what to do next, the same for an account that does not exist', async t => {
    await page.setViewportSize({ width: 390, height: 844 })
    const shown: string[] = []
    for (const username of [user.username, 'nobody-with-this-name']) {
      await page.goto(`${url}/login`)
      await page.locator('#login button[type=submit]:enabled').waitFor()
      t.notOk(await page.locator('#resend').isVisible())
      await fillIn(page, username, 'wrong')
      await page.getByRole('button', submit).click()
      await alertOf(page).waitFor()
      t.equal(await page.locator(':focus').getAttribute('id'), 'password')
      t.strictSame(await page.locator('#password').evaluate(input => {
        const { selectionStart, selectionEnd } = input as HTMLInputElement
        return [selectionStart, selectionEnd]
      }), [0, 'wrong'.length], 'the first key replaces it')
      shown.push(await page.locator('#first-step').innerText())
    }
    t.equal(shown[0], shown[1])
    t.match(shown[0], /Try again, or choose a new password\.[^]+Just registered\? Send the confirmation again/)
    const alert = alertOf(page)
    const reset = alert.getByRole('link', { name: 'choose a new password', exact: true })
    t.equal(await reset.getAttribute('href'), '/reset-password')
    t.strictSame(await violationsInBothColors(page), [])
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)

    await page.keyboard.type(PASSWORD)
    await page.getByLabel('Username or email').fill(user.username)
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await page.getByText(user.email).first().waitFor()
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  await t.test('password managers and the keyboards of phones', async t => {
    await page.goto(`${url}/login`)
    const about = (id: string) => page.locator(`#${id}`).evaluate(input =>
      ['autocomplete', 'inputmode', 'enterkeyhint', 'autocapitalize'].map(name => input.getAttribute(name)))
    t.strictSame(await about('username'), ['username webauthn', 'email', 'next', 'none'])
    t.strictSame(await about('password'), ['current-password', null, 'go', null])
    t.strictSame(await about('code'), ['one-time-code', 'numeric', 'go', 'none'])
  })

  await t.test('passkeys have an icon, and are apart from the providers', async t => {
    await page.goto(`${url}/login`)
    const passkey = page.getByRole('button', { name: 'Sign in with a passkey' })
    t.equal(await passkey.locator('svg[aria-hidden=true]').count(), 1)
    t.equal(await page.locator('.providers').getByText('passkey').count(), 0)
  })

  await t.test('keyboard only', async t => {
    await page.goto(`${url}/login`)
    await page.locator('#login button[type=submit]:enabled').waitFor()
    const seen: string[] = []
    await page.locator('body').press('Tab')
    await page.keyboard.type(user.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('Tab')
      seen.push(
        await page
          .locator(':focus')
          .evaluate(element => element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '')
      )
      t.ok(
        await page.locator(':focus').evaluate(element => parseFloat(getComputedStyle(element).outlineWidth) >= 2),
        'the focus is visible'
      )
    }
    t.strictSame(seen, [
      'Show the password',
      'Forgot your password?',
      'Sign in',
      'Sign in with a passkey',
      'Continue with provider.example',
      'Continue with provider.example',
      'Continue with Mooncrumb',
      'Create an account',
    ])
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('slow network: the button shows progress, a double click sends once', async t => {
    let sent = 0
    const released = Promise.withResolvers<void>()
    await page.route(`${url}/login`, async route => {
      if (route.request().method() !== 'POST') return route.continue()
      sent++
      await released.promise
      await route.continue()
    })
    await page.goto(`${url}/login`)
    await fillIn(page, user.username, PASSWORD)
    const button = page.getByRole('button', submit)
    await button.dblclick()
    t.equal(await button.getAttribute('aria-busy'), 'true')
    await page.keyboard.press('Enter')
    released.resolve()
    await page.getByText(user.email).first().waitFor()
    t.equal(sent, 1)
  })

  await t.test('no network: a message, and the form is unchanged', async t => {
    // The page may still be asking for something else.
    person.expect(/^net::ERR_INTERNET_DISCONNECTED /)
    await page.goto(`${url}/login`)
    await page.locator('#login button[type=submit]:enabled').waitFor()
    await fillIn(page, user.username, PASSWORD)
    await person.context.setOffline(true)
    await page.getByRole('button', submit).click()
    t.match(await alertOf(page).innerText(), 'The service cannot be reached.')
    await person.context.setOffline(false)
    await page.getByRole('button', submit).click()
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('before the script is loaded the form cannot be sent', async t => {
    await page.route('**/login.js', () => {})
    await page.goto(`${url}/login`, { waitUntil: 'commit' })
    await fillIn(page, user.username, PASSWORD)
    await page.getByLabel('Password', { exact: true }).press('Enter')
    // Two frames later, a navigation would have begun.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    t.equal(page.url(), `${url}/login`)
    t.ok(await page.getByRole('button', submit).isDisabled())
    t.equal(await page.locator('#login').getAttribute('method'), 'post')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  await t.test('already signed in: redirected, only to paths of the service', async t => {
    await person.signIn(house, user.username)
    for (const next of [
      '',
      '?next=//evil.example',
      '?next=/%5Cevil.example',
      '?next=https://evil.example',
      '?next=/%09/evil.example',
      '?next=/.//evil.example',
      '?next=javascript:alert(1)',
    ]) {
      await page.goto(`${url}/login${next}`)
      await page.waitForURL(`${url}/dashboard`)
    }
    await page.goto(`${url}/login?next=/register%3Fx=1%23y`)
    await page.waitForURL(`${url}/register?x=1#y`)

    await person.context.clearCookies({ name: 'access_token' })
    await page.goto(`${url}/login`)
    await page.waitForURL(`${url}/dashboard`)
  })

  await t.test('after sign-in: redirected to next', async t => {
    await page.goto(`${url}/.well-known/change-password`)
    await page.waitForURL(`${url}/login?next=%2Fdashboard%23password`)
    await fillIn(page, user.username, PASSWORD)
    await page.getByRole('button', submit).click()
    await page.waitForURL(`${url}/dashboard#password`)
    await page.getByRole('heading', { name: 'Password', exact: true }).waitFor()
  })

  await t.test('the fragment of the page that was requested: kept after sign-in', async t => {
    // As a reverse proxy redirects: the browser adds the fragment to /login itself.
    const NEXT = encodeURIComponent('/register?x=1')
    await page.route(`${url}/app/orders`, route =>
      route.fulfill({ status: 302, headers: { location: `/login?next=${NEXT}` } }))
    const CASES: Array<[opened: string, target: string]> = [
      ['/app/orders#/open/7?a=b', '/register?x=1#/open/7?a=b'],
      [`/login?next=${NEXT}%23own#other`, '/register?x=1#own'],
      [`/login?next=${NEXT}#//evil.example/\\@evil.example`, '/register?x=1#//evil.example/\\@evil.example'],
      ['/login?next=//evil.example#part', '/dashboard'],
      ['/login#part', '/dashboard'],
    ]
    for (const [opened, target] of CASES) {
      await page.goto('about:blank')
      await person.context.clearCookies()
      await page.goto(`${url}${opened}`)
      await page.locator('#login button[type=submit]:enabled').waitFor()
      t.match(page.url(), `${url}/login`)
      await fillIn(page, user.username, PASSWORD)
      await page.getByRole('button', submit).click()
      await page.waitForURL(({ pathname }) => pathname !== '/login')
      t.equal(page.url(), `${url}${target}`)
    }
  })

  await t.test('German, by Accept-Language', async t => {
    const person = await newPerson(t, browser, { locale: 'de-AT' })
    person.expect('401 /login')
    const page = await person.newPage()
    await page.goto(`${url}/login`)
    await page.getByLabel('Benutzername oder E-Mail').fill('niemand')
    await page.getByLabel('Passwort', { exact: true }).fill('falsch')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    t.match(await alertOf(page).innerText(), 'Benutzername oder Passwort ist falsch.')
  })

  await t.test('show the password, hidden again when it is sent', async t => {
    await page.goto(`${url}/login`)
    await page.locator('#login button[type=submit]:enabled').waitFor()
    await fillIn(page, user.username, 'wrong')
    const reveal = page.getByRole('button', { name: 'Show the password' })
    await reveal.click()
    t.equal(await page.locator('#password').getAttribute('type'), 'text')
    t.equal(await reveal.getAttribute('aria-pressed'), 'true')
    await page.getByRole('button', submit).click()
    await alertOf(page).waitFor()
    t.equal(await page.locator('#password').getAttribute('type'), 'password')
  })

  await t.test('too many attempts: a countdown of the minutes left', async t => {
    const person = await newPerson(t, browser)
    person.expect('401 /login', '429 /login')
    const page = await person.newPage()
    let sent = 0
    page.on('request', request => {
      if (request.method() === 'POST' && request.url() === `${url}/login`) sent++
    })
    await page.clock.install()
    await page.goto(`${url}/login`)
    await fillIn(page, user.username, 'wrong')
    const button = page.getByRole('button', submit)
    for (let attempt = 0; attempt < 5; attempt++) {
      await button.click()
      await page.getByText('is incorrect').waitFor()
    }
    await button.click()
    await page.getByText(/Too many attempts\. You can try again in 1[45]:\d\d\./).waitFor()
    const spoken = alertOf(page).locator('.unseen')
    t.equal(await spoken.textContent(), 'Too many attempts. You can try again in 15 minutes.')

    await page.clock.runFor(61_000)
    await page.getByText(/in 1[34]:\d\d\./).waitFor()
    t.match(await spoken.textContent(), /in 1[34] minutes\./)
    await button.click({ force: true })
    await page.keyboard.press('Enter')
    t.equal(sent, 6, 'nothing is sent in the meantime')
    t.equal(await button.getAttribute('aria-disabled'), 'true')
    t.equal(await button.getAttribute('aria-busy'), 'false')

    await t.test('too many attempts: the countdown continues through sleep', async t => {
      await page.clock.fastForward(14 * 60_000)
      await page.getByText('You can try again now.').waitFor()
      await button.click()
      await page
        .getByText(/Too many attempts/)
        .first()
        .waitFor()
      t.equal(sent, 7)
    })
  })
})
