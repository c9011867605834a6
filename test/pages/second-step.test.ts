import t from 'tap'
import type { Page } from 'playwright-core'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violationsInBothColors } from '../support/pages/axe.ts'
import { addTotp, wrongCode } from '../support/second-factor.ts'

async function signIn (page: Page, username: string) {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const focused = (page: Page) => page.locator(':focus').getAttribute('id')

t.test('/login, with a second factor', { skip: withoutChromium }, async t => {
  const { url, owner } = await openService(t)
  const browser = await startChromium()

  async function arrive (options = {}) {
    const user = await createUser(owner)
    const factor = await addTotp(owner, user.id)
    const person = await newPerson(t, browser, { reducedMotion: 'reduce', ...options })
    const page = await person.newPage()
    await page.goto(`${url}/login?next=/dashboard%23password`)
    return { user, factor, person, page }
  }

  await t.test('the code step: focused, described, accessible, and then to the requested page', async t => {
    const { user, factor, page } = await arrive()
    await signIn(page, user.username)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    const code = page.getByLabel('Code', { exact: true })
    t.equal(await focused(page), 'code')
    t.equal(await code.getAttribute('autocomplete'), 'one-time-code')
    t.equal(await code.getAttribute('inputmode'), 'numeric')
    t.equal(await code.getAttribute('enterkeyhint'), 'go')
    t.equal(await page.locator('#second-account').innerText(), `Signing in as ${user.username}`)
    t.equal(await page.locator('#second-step input[autocomplete=username]').inputValue(), user.username)
    t.match(await page.locator('#second-step').innerText(), /Do not ask again in this browser\s+for 30 days/)
    t.equal(await code.getAttribute('aria-describedby'), 'code-lead')
    t.notOk(await page.locator('#password').isVisible())
    t.strictSame(await violationsInBothColors(page), [])
    await page.setViewportSize({ width: 320, height: 640 })
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320)

    await page.keyboard.type(await factor.freshCode())
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/dashboard#password`)
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('a wrong code is said at the field; a recovery code in its place', async t => {
    const { user, factor, person, page } = await arrive()
    person.expect('401 /login/second-factor')
    await signIn(page, user.username)
    await page.getByLabel('Code', { exact: true }).fill(wrongCode(factor.secret))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('#code-complaint').filter({ hasText: 'This code is wrong' }).waitFor()
    t.equal(await focused(page), 'code')
    t.equal(await page.locator('#code').getAttribute('aria-describedby'), 'code-complaint code-lead')

    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    t.equal(await focused(page), 'code')
    t.equal(await page.locator('#code-complaint').count(), 0)
    t.equal(await page.getByLabel('Recovery code', { exact: true }).getAttribute('inputmode'), 'text')
    await page.keyboard.type(factor.recoveryCodes[0] as string)
    await page.keyboard.press('Enter')
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('remember this browser: not asked the next time', async t => {
    const { user, factor, person, page } = await arrive()
    await signIn(page, user.username)
    await page.getByLabel('Do not ask again in this browser').check()
    await page.getByLabel('Code', { exact: true }).fill(await factor.freshCode())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(user.email).first().waitFor()
    // The dashboard asks for nothing more.
    await page.goto('about:blank')
    await person.context.clearCookies({ name: /_token$/ })
    await page.goto(`${url}/login`)
    await signIn(page, user.username)
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('the step ran out, or five codes were wrong: back to the password, with a message', async t => {
    const { user, factor, person, page } = await arrive()
    person.expect('401 /login/second-factor')
    await signIn(page, user.username)
    await page.getByLabel('Code', { exact: true }).waitFor()
    await person.context.clearCookies({ name: 'login_step' })
    await page.getByLabel('Code', { exact: true }).fill('123456')
    await page.getByRole('button', { name: 'Continue' }).click()
    const message = page.getByText('The time for the second step is over, or there were too many attempts.')
    await message.waitFor()
    t.equal(await focused(page), 'username')
    t.equal(await page.locator('#password').inputValue(), '')

    await signIn(page, user.username)
    for (let wrong = 1; wrong <= 5; wrong++) {
      await page.getByLabel('Code', { exact: true }).fill(wrongCode(factor.secret))
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.locator('#code-complaint').waitFor()
    }
    await page.getByLabel('Code', { exact: true }).fill(await factor.freshCode())
    await page.getByRole('button', { name: 'Continue' }).click()
    await message.waitFor()

    await signIn(page, user.username)
    await page.getByRole('button', { name: 'Start again' }).click()
    t.equal(await focused(page), 'username')
    t.notOk(await message.isVisible())
  })

  await t.test('ten wrong codes in an hour: a countdown', async t => {
    const { user, factor, person, page } = await arrive()
    person.expect('401 /login/second-factor', '429 /login/second-factor')
    for (let login = 0; login < 3; login++) {
      await page.goto(`${url}/login`)
      await signIn(page, user.username)
      for (let wrong = 0; wrong < (login < 2 ? 5 : 1); wrong++) {
        await page.getByLabel('Code', { exact: true }).fill(wrongCode(factor.secret))
        await page.getByRole('button', { name: 'Continue' }).click()
        await page.locator('#code-complaint, #second-step [role=alert]:not(:empty)').waitFor()
      }
    }
    t.match(
      await page.locator('#second-step [role=alert]').innerText(),
      /You can try again in (59|60):\d\d/
    )
    t.equal(await page.getByRole('button', { name: 'Continue' }).getAttribute('aria-disabled'), 'true')
  })

  await t.test('after a provider: the code step, and then to the requested page; German', async t => {
    const { person, page } = await arrive({ locale: 'de-DE' })
    const throughProvider = async () => {
      await page.goto(`${url}/login?next=/dashboard%23password`)
      await page.getByRole('link', { name: 'Weiter mit provider.example' }).first().click()
      await page.locator('button[value=continue]').click()
    }
    await throughProvider()
    await page.getByText('ada@example.org').first().waitFor()
    const { rows: [{ id }] } = await owner.query("SELECT id FROM users WHERE email = 'ada@example.org'")
    const factor = await addTotp(owner, id)
    await page.goto('about:blank')
    await person.context.clearCookies()
    await throughProvider()
    await page.getByRole('heading', { name: 'Zweiter Schritt' }).waitFor()
    t.equal(await focused(page), 'code')
    const { rows: [{ username }] } = await owner.query('SELECT username FROM users WHERE id = $1', [id])
    await page.getByText(`Anmeldung als ${username}`).waitFor()
    t.equal(await focused(page), 'code')
    await page.getByLabel('Bestätigungscode').fill(await factor.freshCode())
    await page.getByRole('button', { name: 'Weiter', exact: true }).click()
    await page.waitForURL(`${url}/dashboard#password`)
    await page.getByText('ada@example.org').first().waitFor()
  })

  await t.test('a link to the second step, without a login: the first step, with a message', async t => {
    const { person, page } = await arrive()
    person.expect('401 /login/second-factor')
    await page.goto(`${url}/login?second_factor=totp`)
    await page.getByText('The time for the second step is over, or there were too many attempts.').waitFor()
    t.equal(await focused(page), 'username')
    t.equal(page.url(), `${url}/login?`)
  })

  await t.test('a link with methods that do not exist shows the ordinary page', async t => {
    const { page } = await arrive()
    await page.goto(`${url}/login?second_factor=constructor,__proto__,<b>`)
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    t.notOk(await page.locator('#second-step').isVisible())
  })
})
