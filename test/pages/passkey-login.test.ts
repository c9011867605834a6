import t from 'tap'
import type { Page } from 'playwright-core'
import { PASSWORD } from '../support/browser.ts'
import { INSECURE_HOST, newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violations } from '../support/pages/axe.ts'
import { arriveAtLogin, passkeyRequest } from '../support/pages/passkeys.ts'
import { eventually } from '../support/patience.ts'

const alertOf = (page: Page) => page.getByRole('alert').filter({ hasText: /./ })
const focused = (page: Page) => page.locator(':focus').getAttribute('id')
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

t.test('/login, with a passkey', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { url, owner } = service
  const browser = await startChromium()

  await t.test('by autofill, which the browser completes', async t => {
    const { user, page, authenticator } = await arriveAtLogin(t, service, browser)
    t.equal(await page.locator('#username').getAttribute('autocomplete'), 'username webauthn')
    await authenticator.setPresence(true)
    await page.reload()
    await page.waitForURL(`${url}/dashboard#password`)
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('by the button while autofill waits, with the keyboard', async t => {
    const { user, page, authenticator } = await arriveAtLogin(t, service, browser)
    t.strictSame(await violations(page), [])
    await authenticator.setPresence(true)
    await signInButton(page).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/dashboard#password`)
    await page.getByText(user.email).first().waitFor()
    const { rows } = await owner.query('SELECT amr FROM refresh_tokens WHERE user_id = $1', [user.id])
    t.ok(rows.some(({ amr }) => String(amr) === 'hwk,mfa'))
  })

  await t.test('autofill gets new options before the challenge expires', async t => {
    const { page, authenticator } = await arriveAtLogin(t, service, browser)
    await page.clock.install()
    await page.reload()
    await passkeyRequest(page, 1)
    const second = page.waitForResponse('**/login/passkey/options')
    await page.clock.fastForward(4 * 60_000 + 1_000)
    t.equal((await second).status(), 200)
    await passkeyRequest(page, 2)
    await authenticator.setPresence(true)
    await signInButton(page).click()
    await page.waitForURL(`${url}/dashboard#password`)
  })

  await t.test('cancelled, or the fingerprint is wrong: no message, and the button works again', async t => {
    const { user, page, authenticator } = await arriveAtLogin(t, service, browser)
    await authenticator.setVerified(false)
    await authenticator.setPresence(true)
    await signInButton(page).click()
    await eventually(() => signInButton(page).getAttribute('aria-busy'), busy => busy === 'false')
    t.equal(await alertOf(page).count(), 0)
    t.equal(await focused(page), 'use-passkey')
    await authenticator.setVerified(true)
    await signInButton(page).click()
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('a passkey that the account no longer has: refused with a message', async t => {
    const { user, person, page, authenticator } = await arriveAtLogin(t, service, browser)
    person.expect('401 /login/passkey')
    await owner.query('DELETE FROM passkeys WHERE user_id = $1', [user.id])
    await authenticator.setPresence(true)
    await signInButton(page).click()
    await page.getByText('This passkey was not accepted. It may have been removed from your account.').waitFor()
    t.strictSame(await violations(page), [])
    t.equal((await authenticator.credentials()).length, 1, 'the response does not say why, so the browser keeps it')
  })

  await t.test('no button without WebAuthn, and none at another address than PUBLIC_URL', async t => {
    const person = await newPerson(t, browser)
    person.expect(/^The Cross-Origin-Opener-Policy header has been ignored|origin-keyed/)
    const page = await person.newPage()
    for (const host of [INSECURE_HOST, 'other.localhost']) {
      await page.goto(`http://${host}:${service.port}/login`)
      await page.locator('#login button[type=submit]:enabled').waitFor()
      t.notOk(await signInButton(page).isVisible(), host)
    }
    const { user } = await arriveAtLogin(t, service, browser)
    const enterPassword = async (origin: string) => {
      await page.goto(`${origin}/login`)
      await page.getByLabel('Username or email').fill(user.username)
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await enterPassword(url)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await enterPassword(`http://${INSECURE_HOST}:${service.port}`)
    await page.getByText('This browser cannot use your passkey.').waitFor()
    t.equal(await focused(page), 'start-again')
    t.strictSame(await violations(page), [])
  })
})
