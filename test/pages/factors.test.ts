import { readFile } from 'node:fs/promises'
import t from 'tap'
import type { Page } from 'playwright-core'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { violations, violationsInBothColors } from '../support/pages/axe.ts'
import { addTotp, codeOf, wrongCode } from '../support/second-factor.ts'

const focused = (page: Page) => page.locator(':focus').getAttribute('id')
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

t.test('/dashboard, ways to sign in', { skip: withoutChromium }, async t => {
  const house = await openService(t)
  const { url, owner } = house
  const browser = await startChromium()

  async function arrive (options = {}) {
    const user = await createUser(owner)
    const person = await newPerson(t, browser, { reducedMotion: 'reduce', ...options })
    await person.signIn(house, user.username)
    const page = await person.newPage()
    await page.goto(`${url}/dashboard/security`)
    await page.getByText(user.email).first().waitFor()
    return { user, person, page }
  }

  /** The session is too old for changes: the user must confirm their identity. */
  const age = (id: string) =>
    owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 day' WHERE user_id = $1", [id])
  const eventsOf = async (id: string) =>
    (await owner.query('SELECT what FROM auth_events WHERE user_id = $1 ORDER BY id', [id])).rows.map(row => row.what)

  async function checkLooks (page: Page) {
    t.strictSame(await violationsInBothColors(page), [])
    await page.setViewportSize({ width: 320, height: 640 })
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320)
    t.equal(await page.evaluate(() => {
      const dialog = document.querySelector('dialog[open]')
      return dialog ? dialog.scrollWidth - dialog.clientWidth : 0
    }), 0, 'nothing is cut off in the dialog')
    await page.setViewportSize({ width: 1280, height: 720 })
  }

  await t.test('set up an authenticator app, save the recovery codes, create new ones, remove it', async t => {
    const { user, person, page } = await arrive({ permissions: ['clipboard-write'] })
    person.expect('403 /api/auth/factors/totp/confirm')
    await page.getByRole('button', { name: 'Set up' }).click()
    const setUp = dialogOf(page, 'Set up an authenticator app')
    await setUp.waitFor()
    const secret = (await page.locator('#totp-secret').innerText()).replaceAll(' ', '')
    t.match(secret, /^[A-Z2-7]{32}$/)
    t.match(await page.getByRole('link', { name: 'Open the app' }).getAttribute('href'), `secret=${secret}`)
    t.match(await page.locator('#totp-qr path').getAttribute('d'), /^M\d/)
    t.equal(await focused(page), 'totp-code')
    await checkLooks(page)

    await page.keyboard.type(wrongCode(secret))
    await page.keyboard.press('Enter')
    await setUp.getByText('This code is wrong').waitFor()
    await setUp.getByLabel('Code that the app shows').fill(codeOf(secret))
    await setUp.getByRole('button', { name: 'Turn on' }).click()

    const codes = dialogOf(page, 'Recovery codes')
    await codes.waitFor()
    const first = await codes.getByRole('listitem').allInnerTexts()
    t.equal(new Set(first).size, 10)
    await checkLooks(page)
    await page.keyboard.press('Escape')
    t.ok(await codes.isVisible(), 'Escape does not hide them')
    // The permissions policy of the service lets no page read the clipboard.
    await page.evaluate(() => {
      const { clipboard } = navigator
      const write = clipboard.writeText.bind(clipboard)
      clipboard.writeText = text => {
        document.body.dataset.copied = text
        return write(text)
      }
    })
    await codes.getByRole('button', { name: 'Copy' }).click()
    await codes.getByText('Copied.').waitFor()
    t.equal(await page.locator('body').getAttribute('data-copied'), first.map(code => `${code}\n`).join(''))
    await page.evaluate(() => { delete document.body.dataset.copied })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      codes.getByRole('button', { name: 'Download' }).click(),
    ])
    t.match(download.suggestedFilename(), /recovery-codes\.txt$/)
    t.equal(await readFile(await download.path(), 'utf8'), first.map(code => `${code}\n`).join(''))
    await page.evaluate(() => { window.print = () => { document.body.dataset.printed = 'true' } })
    await codes.getByRole('button', { name: 'Print' }).click()
    t.equal(await page.locator('body').getAttribute('data-printed'), 'true')
    await page.emulateMedia({ media: 'print' })
    t.notOk(await page.getByRole('button', { name: 'Sign out', exact: true }).isVisible())
    t.ok(await codes.getByText(first[0] as string).isVisible())
    await page.emulateMedia({ media: 'screen' })
    await codes.getByRole('button', { name: 'I have saved them' }).click()

    await page.getByText('The authenticator app is set up.').waitFor()
    t.equal(await focused(page), 'factors-title')
    await page.getByText('10 codes are left.').waitFor()
    t.notMatch(await page.content(), first[0] as string, 'the codes are gone from the page')
    await checkLooks(page)

    await page.getByRole('button', { name: 'Create new codes' }).click()
    await dialogOf(page, 'Create new recovery codes?').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Create new codes' }).click()
    await dialogOf(page, 'Create new recovery codes?').getByRole('button', { name: 'Create new codes' }).click()
    await codes.waitFor()
    const second = await codes.getByRole('listitem').allInnerTexts()
    t.equal(new Set([...first, ...second]).size, 20)
    await codes.getByRole('button', { name: 'I have saved them' }).click()

    await page.getByRole('button', { name: 'Remove' }).click()
    const question = dialogOf(page, 'Remove the authenticator app?')
    await checkLooks(page)
    await question.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The authenticator app has been removed.').waitFor()
    t.ok(await page.getByRole('button', { name: 'Set up' }).isVisible())
    t.notOk(await page.getByText('codes are left').isVisible())
    t.strictSame(
      (await eventsOf(user.id)).filter(what => /totp|recovery/.test(what)),
      ['totp_added', 'recovery_codes_created', 'totp_removed']
    )
  })

  await t.test('confirm it is you with the password: cancelled, wrong, right; the action goes on', async t => {
    const { user, person, page } = await arrive()
    person.expect('403 /api/auth/factors/totp', '403 /api/auth/reauthenticate')
    await age(user.id)
    await page.getByRole('button', { name: 'Set up' }).click()
    const dialog = dialogOf(page, 'Confirm it is you')
    await dialog.waitFor()
    t.equal(await focused(page), 'confirm-password')
    await checkLooks(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    t.notOk(await page.getByRole('dialog').isVisible())
    t.equal(await page.locator('#factors-notice').innerText(), '')

    await page.getByRole('button', { name: 'Set up' }).click()
    await dialog.getByLabel('Your password').fill('wrong')
    await page.keyboard.press('Enter')
    await dialog.getByText('This is not your current password.').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialogOf(page, 'Set up an authenticator app').waitFor()
  })

  await t.test('confirm it is you with a code, before the account is deleted; German', async t => {
    const { user, person, page } = await arrive({ locale: 'de' })
    const factor = await addTotp(owner, user.id)
    person.expect('403 /api/auth/me', '403 /api/auth/reauthenticate')
    await page.reload()
    await page.getByText('10 Codes sind übrig.').waitFor()
    await checkLooks(page)
    await page.getByRole('link', { name: 'Daten', exact: true }).click()
    await page.getByRole('button', { name: 'Mein Konto löschen' }).click()
    const deletion = dialogOf(page, 'Ihr Konto löschen?')
    await deletion.getByLabel('Ihr Passwort').fill(PASSWORD)
    await deletion.getByRole('button', { name: 'Mein Konto löschen' }).click()
    const dialog = dialogOf(page, 'Bestätigen Sie, dass Sie es sind')
    await dialog.waitFor()
    t.equal(await focused(page), 'code')
    t.notOk(await dialog.getByLabel('Ihr Passwort').isVisible())
    await dialog.getByLabel('Bestätigungscode').fill(wrongCode(factor.secret))
    await page.keyboard.press('Enter')
    await dialog.getByText('Dieser Code ist falsch').waitFor()
    await dialog.getByRole('button', { name: 'Wiederherstellungscode verwenden' }).click()
    await checkLooks(page)
    await dialog.getByLabel('Wiederherstellungscode', { exact: true }).fill(factor.recoveryCodes[3] as string)
    await page.keyboard.press('Enter')
    await page.getByText('Ihr Konto und alle zugehörigen Daten wurden gelöscht.').waitFor()
    t.equal((await owner.query('SELECT FROM users WHERE id = $1', [user.id])).rowCount, 0)
  })

  await t.test('an account without a password: confirmed by its provider, it goes on where it was', async t => {
    const person = await newPerson(t, browser, { reducedMotion: 'reduce' })
    person.expect(...['factors/totp', 'me', 'email', 'password'].map(each => `403 /api/auth/${each}`))
    const page = await person.newPage()
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Continue with provider.example' }).first().click()
    await page.locator('button[value=continue]').click()
    await page.getByText('ada@example.org').first().waitFor()
    const { rows: [{ id }] } = await owner.query("SELECT id FROM users WHERE email = 'ada@example.org'")
    const dialog = dialogOf(page, 'Confirm it is you')

    /** Begins an action, which the service refuses until the provider confirms the user. */
    async function leaveAndComeBack (begin: () => Promise<unknown>) {
      await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour' WHERE user_id = $1", [id])
      await begin()
      await dialog.waitFor()
      t.notOk(await dialog.getByRole('textbox').first().isVisible())
      await dialog.getByRole('link', { name: 'Continue with provider.example' }).click()
      await page.locator('button[value=continue]').click()
      await page.getByText('ada@example.org').first().waitFor()
    }

    await page.getByRole('link', { name: 'Security' }).click()
    await leaveAndComeBack(async () => {
      await page.getByRole('button', { name: 'Set up' }).click()
      await dialog.waitFor()
      await checkLooks(page)
    })
    await dialogOf(page, 'Set up an authenticator app').waitFor()
    t.equal(page.url(), `${url}/dashboard/security`, 'a reload does not set it up once more')
    await dialogOf(page, 'Set up an authenticator app').getByRole('button', { name: 'Cancel' }).click()

    const deletion = dialogOf(page, 'Delete your account?')
    await page.getByRole('link', { name: 'Data', exact: true }).click()
    await leaveAndComeBack(async () => {
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await deletion.getByRole('button', { name: 'Delete my account' }).click()
    })
    await deletion.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByRole('button', { name: 'Change Email address' }).click()
    await leaveAndComeBack(async () => {
      await page.getByLabel('New email address').fill('ada@example.net')
      await page.keyboard.press('Enter')
    })
    await page.locator('#new-email:focus').waitFor()

    const add = async () => {
      await page.getByLabel('New password').fill('gl4ss-Harmonica-7!')
      await page.keyboard.press('Enter')
    }
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByRole('button', { name: 'Add password' }).click()
    await leaveAndComeBack(add)
    await page.locator('#new-password:focus').waitFor()
    await add()
    await page.getByText('Your password has been added.').waitFor()
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Current password').waitFor()
  })
})

t.test('SECOND_FACTOR=required: nothing but the enrolment, then to the requested page', {
  skip: withoutChromium,
}, async t => {
  const { url, owner } = await openService(t, { SECOND_FACTOR: 'required' })
  const browser = await startChromium()
  const user = await createUser(owner)
  const person = await newPerson(t, browser, { reducedMotion: 'reduce' })
  person.expect('409 /api/auth/factors/totp')
  const page = await person.newPage()
  await page.goto(`${url}/login?next=/register%3Fx=1`)
  await page.getByLabel('Username or email').fill(user.username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('This service requires a second factor.').waitFor()
  t.strictSame(await page.locator('section:visible').evaluateAll(all => all.map(({ id }) => id)), ['factors'])
  t.notOk(await page.locator('.who').isVisible())
  t.strictSame(await violations(page), [])
  await page.goto(`${url}/login?next=/register%3Fx=1`)
  await page.getByText('This service requires a second factor.').waitFor()

  await page.getByRole('button', { name: 'Set up' }).click()
  await dialogOf(page, 'Set up an authenticator app').waitFor()
  const secret = (await page.locator('#totp-secret').innerText()).replaceAll(' ', '')
  await page.keyboard.type(codeOf(secret))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.waitForURL(`${url}/register?x=1`)

  await page.goto(`${url}/dashboard`)
  await page.getByText(user.email).first().waitFor()
  t.ok(await page.getByRole('heading', { name: 'Email address' }).isVisible())
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await dialogOf(page, 'Remove the authenticator app?').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('This is not possible: a second factor is required').waitFor()
})

t.test('SECOND_FACTOR=off: no app can be added', { skip: withoutChromium }, async t => {
  const house = await openService(t, { SECOND_FACTOR: 'off' })
  const user = await createUser(house.owner)
  const person = await newPerson(t, await startChromium())
  await person.signIn(house, user.username)
  const page = await person.newPage()
  await page.goto(`${house.url}/dashboard/security`)
  await page.getByText(user.email).first().waitFor()
  t.equal(await page.locator('#factors').getByRole('button').count(), 0)
})
