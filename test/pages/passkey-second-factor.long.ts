import t from 'tap'
import type { Page } from 'playwright-core'
import { PASSWORD } from '../support/browser.ts'
import { openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { addPasskey, arriveAtLogin, arriveWithAuthenticator } from '../support/pages/passkeys.ts'
import { eventually } from '../support/patience.ts'
import { addTotp } from '../support/second-factor.ts'

const focused = (page: Page) => page.locator(':focus').getAttribute('id')
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

async function enterPassword (page: Page, username: string) {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

t.test('a passkey as the second factor', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { url, owner } = service
  const browser = await startChromium()

  /** The session is too old for changes: the user must confirm their identity. */
  const age = (id: string) => owner.query(
    "UPDATE refresh_tokens SET signed_in_at = now() - interval '1 day', auth_time = NULL WHERE user_id = $1", [id])

  await t.test('as the second step, when the account has nothing else', async t => {
    const { user, page, authenticator } = await arriveAtLogin(t, service, browser)
    await enterPassword(page, user.username)
    const use = page.getByRole('button', { name: 'Use a passkey' })
    await use.waitFor()
    await page.getByText('Confirm with your passkey that it is you.').waitFor()
    t.equal(await focused(page), 'second-passkey')
    t.notOk(await page.locator('#code').isVisible())
    t.notOk(await page.getByRole('button', { name: 'Continue' }).isVisible())
    await checkLooks(t, page)
    await authenticator.setPresence(true)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/dashboard#password`)
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('as the second step before a recovery code, which a link asks for', async t => {
    const { user, page } = await arriveAtLogin(t, service, browser)
    const { recoveryCodes: [code = ''] } = await addTotp(owner, user.id)
    await owner.query('DELETE FROM totp WHERE user_id = $1', [user.id])
    await enterPassword(page, user.username)
    const use = page.getByRole('button', { name: 'Use a passkey' })
    await use.waitFor()
    t.equal(await focused(page), 'second-passkey')
    t.notOk(await page.locator('#code').isVisible())
    await checkLooks(t, page)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    t.equal(await focused(page), 'code')
    t.ok(await use.isVisible(), 'the passkey can still be used')
    await checkLooks(t, page)
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('as the second step beside a code, and the browser is remembered; German', async t => {
    const { user, person, page, authenticator } = await arriveAtLogin(t, service, browser, { locale: 'de' })
    await addTotp(owner, user.id)
    const enter = async () => {
      await page.getByLabel('Benutzername oder E-Mail').fill(user.username)
      await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    }
    await enter()
    await page.getByLabel('Bestätigungscode').waitFor()
    t.equal(await focused(page), 'code')
    await checkLooks(t, page)
    await page.getByLabel('Diesem Browser vertrauen').check()
    await authenticator.setPresence(true)
    await page.getByRole('button', { name: 'Passkey verwenden' }).click()
    await page.getByText(user.email).first().waitFor()
    await authenticator.setPresence(false)
    // The dashboard asks for nothing more.
    await page.waitForLoadState('networkidle')
    await person.context.clearCookies({ name: /_token$/ })
    await page.goto(`${url}/login`)
    await enter()
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('the second step ran out, or is begun again: autofill is offered once more', async t => {
    const { user, person, page, authenticator } = await arriveAtLogin(t, service, browser)
    person.expect('401 /login/second-factor')
    await enterPassword(page, user.username)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await person.context.clearCookies({ name: 'login_step' })
    await authenticator.setPresence(true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(`${url}/dashboard#password`)
    await page.getByText(user.email).first().waitFor()
  })

  await t.test('confirm it is you with a passkey: cancelled, refused, accepted; the action goes on', async t => {
    const { user, person, page, authenticator } = await arriveWithAuthenticator(t, service, browser)
    person.expect('403 /api/auth/factors/recovery-codes', '403 /api/auth/reauthenticate')
    await addPasskey(page)
    await age(user.id)
    const create = async () => {
      await page.getByRole('button', { name: 'Create new codes' }).click()
      await dialogOf(page, 'Create new recovery codes?').getByRole('button', { name: 'Create new codes' }).click()
    }
    const dialog = dialogOf(page, 'Confirm it is you')
    const use = dialog.getByRole('button', { name: 'Use a passkey' })
    await create()
    await use.waitFor()
    t.equal(await focused(page), 'confirm-passkey')
    t.notOk(await dialog.getByRole('textbox').first().isVisible(), 'the password is not enough')
    await checkLooks(t, page)
    await authenticator.setVerified(false)
    await use.click()
    await eventually(() => use.getAttribute('aria-busy'), busy => busy === 'false')
    t.equal(await dialog.getByRole('alert').count(), 0)
    await page.keyboard.press('Escape')
    t.notOk(await dialog.isVisible())

    await authenticator.setVerified(true)
    await owner.query('UPDATE passkeys SET counter = 100 WHERE user_id = $1', [user.id])
    await create()
    await use.click()
    await dialog.getByText('This passkey was not accepted.').waitFor()
    await owner.query('UPDATE passkeys SET counter = 0 WHERE user_id = $1', [user.id])
    await use.click()
    const codes = dialogOf(page, 'Recovery codes')
    await codes.waitFor()
    t.equal(await codes.getByRole('listitem').count(), 10)
  })

  await t.test('confirm it is you with a passkey, before a recovery code, which a link asks for', async t => {
    const { user, person, page } = await arriveWithAuthenticator(t, service, browser)
    person.expect('403 /api/auth/factors/recovery-codes')
    await addPasskey(page)
    const { recoveryCodes: [code = ''] } = await addTotp(owner, user.id)
    await owner.query('DELETE FROM totp WHERE user_id = $1', [user.id])
    await age(user.id)
    await page.reload()
    await page.getByRole('button', { name: 'Create new codes' }).click()
    await dialogOf(page, 'Create new recovery codes?').getByRole('button', { name: 'Create new codes' }).click()
    const dialog = dialogOf(page, 'Confirm it is you')
    await dialog.getByRole('button', { name: 'Use a passkey' }).waitFor()
    t.equal(await focused(page), 'confirm-passkey')
    t.notOk(await dialog.getByRole('textbox').first().isVisible())
    await checkLooks(t, page)
    await dialog.getByRole('button', { name: 'Use a recovery code' }).click()
    t.equal(await focused(page), 'code')
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await dialogOf(page, 'Recovery codes').waitFor()
  })
})
