import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { ASKED, serveInteraction } from '../support/pages/interaction.ts'
import { addPasskey, arriveWithAuthenticator } from '../support/pages/passkeys.ts'
import { addTotp } from '../support/second-factor.ts'

const PATH = '/oidc/interaction/abc'

t.test('the pages of an application\'s request', { skip: withoutChromium }, async t => {
  let state = {} as ReturnType<typeof serveInteraction>
  const service = await openService(t, {}, { before (app) { state = serveInteraction(app) } })
  const { url, owner } = service
  const browser = await startChromium()

  async function signedIn (values: Record<string, unknown> = {}) {
    const user = await createUser(owner, values)
    const person = await newPerson(t, browser)
    await person.signIn(service, user.username)
    state.current = ASKED
    state.answers.splice(0)
    return { user, person, page: await person.newPage() }
  }

  const provedAt = async (userId: string) => {
    const { rows: [row] } = await owner.query<{ amr: string[] }>(
      'SELECT amr FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL AND auth_time IS NOT NULL', [userId])
    return row?.amr
  }

  await t.test('consent: who asks, for which account, for what; Allow', async t => {
    const { user, page } = await signedIn()
    state.current = { ...ASKED, application: { ...ASKED.application, name: '<b>Album</b>' } }
    await page.goto(url + PATH)
    await page.getByText('<b>Album</b>').waitFor()
    t.match(await page.locator('main').innerText(), new RegExp([
      'Allow access\\?', 'photos\\.example', 'It gets', 'Who you are', 'Your name and your username',
      'Your email address', 'Access that continues after you sign out here', 'never sees your password',
      `You are signed in as ${user.username}`,
    ].join('[^]+')))
    await page.getByRole('button', { name: 'Allow' }).dblclick()
    await page.waitForURL(`${url}/health`)
    t.strictSame(state.answers, [{ allow: true }])
  })

  await t.test('consent: one that registered itself is shown by its address, as unverified', async t => {
    const { page } = await signedIn()
    for (const [unverified, host, shown] of [
      [{ document: 'agent.example.net', onDevice: false }, 'agent.example.net', 'agent.example.net'],
      [{ document: 'agent.example.net', onDevice: true }, '127.0.0.1:4711', 'agent.example.net'],
      [{ document: null, onDevice: false }, 'agent.example.net', 'agent.example.net'],
      [{ document: null, onDevice: true }, '127.0.0.1:4711', 'A program on your device'],
    ] as const) {
      const application = { ...ASKED.application, name: 'Gatehouse', host, unverified }
      state.current = { ...ASKED, application }
      await page.goto(url + PATH)
      await page.getByText('Unverified application').waitFor()
      t.equal(await page.locator('.name').innerText(), shown)
      t.match(await page.locator('main').innerText(), new RegExp([
        'nobody has checked it', 'It calls itself', 'Gatehouse', 'Afterwards you return to', host,
      ].join('[^]+')))
    }
    state.current = ASKED
    await page.goto(url + PATH)
    await page.getByText('Photo Album').waitFor()
    t.notMatch(await page.locator('main').innerText(), /Unverified|calls itself/)
  })

  await t.test('consent: a scope without a text is shown by its name', async t => {
    const { page } = await signedIn()
    state.current = { ...ASKED, scopes: ['openid', 'files:write', 'constructor'] }
    await page.goto(url + PATH)
    await page.locator('#scopes li').first().waitFor()
    t.strictSame(await page.locator('#scopes li').allInnerTexts(), ['Who you are', 'files:write', 'constructor'])
  })

  await t.test('consent: Cancel', async t => {
    const { page } = await signedIn()
    await page.goto(url + PATH)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`${url}/health`)
    t.strictSame(state.answers, [{ allow: false }])
  })

  await t.test('consent: with another account', async t => {
    const { person, page } = await signedIn()
    const other = await createUser(owner)
    person.expect(`401 ${PATH}/request`)
    await page.goto(url + PATH)
    await page.getByRole('link', { name: 'Use another account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Username or email').fill(other.username)
    await page.locator('#password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText(`You are signed in as ${other.username}`).waitFor()
    t.equal(page.url(), url + PATH)
  })

  await t.test('a request that is over: what to do, and no buttons; also when it ends before the answer', async t => {
    const { person, page } = await signedIn()
    person.expect(`404 ${PATH}/request`, `404 ${PATH}`)
    await page.goto(url + PATH)
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    state.current = undefined
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Go back to the application and start again.').waitFor()
    for (const path of ['', '/confirm']) {
      await page.goto(url + PATH + path)
      await page.getByText('Go back to the application and start again.').waitFor()
      t.equal(await page.getByRole('button').count(), 0)
    }
  })

  await t.test('the language is chosen on the page, and the request stays', async t => {
    const { page } = await signedIn()
    await page.goto(url + PATH)
    await page.locator('summary').click()
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('button', { name: 'Erlauben' }).click()
    await page.waitForURL(`${url}/health`)
    t.strictSame(state.answers, [{ allow: true }])
  })

  await t.test('confirm: with the password', async t => {
    const { user, person, page } = await signedIn()
    person.expect('403 /api/auth/reauthenticate')
    await page.goto(`${url}${PATH}/confirm`)
    await page.getByText('Photo Album asks you to confirm that it is you.').waitFor()
    t.equal(await page.locator('form input[autocomplete=username]').inputValue(), user.username)
    await page.getByLabel('Your password').fill('wrong')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('This is not your current password.').waitFor()
    t.equal(await provedAt(user.id), undefined)
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL(url + PATH)
    t.strictSame(await provedAt(user.id), ['pwd'])
  })

  await t.test('confirm: with the code of the authenticator app, never with the password alone', async t => {
    const { user, page } = await signedIn()
    const { freshCode } = await addTotp(owner, user.id)
    state.current = { ...ASKED, secondFactor: true }
    await page.goto(`${url}${PATH}/confirm`)
    await page.getByText('Photo Album asks you to confirm with your second factor that it is you.').waitFor()
    t.notOk(await page.getByLabel('Your password').isVisible())
    await page.getByLabel('Code', { exact: true }).fill(await freshCode())
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL(url + PATH)
    t.ok((await provedAt(user.id))?.includes('mfa'))
  })

  await t.test('confirm: a second factor is asked for, and the account has none', async t => {
    const { user, page } = await signedIn()
    state.current = { ...ASKED, secondFactor: true }
    await page.goto(`${url}${PATH}/confirm`)
    await page.getByText('Photo Album asks for a second factor, but your account has none.').waitFor()
    t.equal(await page.getByRole('link', { name: 'Set up a second factor' }).getAttribute('href'), '/dashboard#factors')
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL(url + PATH)
    t.strictSame(await provedAt(user.id), ['pwd'])
  })

  await t.test('confirm: with a passkey', async t => {
    const { user, page } = await arriveWithAuthenticator(t, service, browser)
    await addPasskey(page)
    await owner.query("UPDATE refresh_tokens SET amr = '{pwd}', auth_time = NULL WHERE user_id = $1", [user.id])
    state.current = { ...ASKED, secondFactor: true }
    await page.goto(`${url}${PATH}/confirm`)
    await page.getByText('Photo Album asks you to confirm with your second factor that it is you.').waitFor()
    t.notOk(await page.getByLabel('Your password').isVisible())
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(url + PATH)
    t.ok((await provedAt(user.id))?.includes('hwk'))
  })

  await t.test('confirm: through the provider of an account without a password, and back to the request', async t => {
    const page = await (await newPerson(t, browser)).newPage()
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Continue with provider.example' }).first().click()
    await page.locator('button[value=continue]').click()
    await page.getByText('ada@example.org').first().waitFor()
    const { rows: [{ id }] } = await owner.query("SELECT id FROM users WHERE email = 'ada@example.org'")
    t.equal(await provedAt(id), undefined)
    state.current = ASKED
    await page.goto(`${url}${PATH}/confirm`)
    const link = page.getByRole('link', { name: 'Continue with provider.example' })
    await link.waitFor()
    t.notOk(await page.getByRole('button', { name: 'Confirm' }).isVisible())
    await link.click()
    await page.locator('button[value=continue]').click()
    await page.waitForURL(url + PATH)
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    t.strictSame(await provedAt(id), ['ext'])
  })

  await t.test('confirm: Cancel', async t => {
    const { page } = await signedIn()
    await page.goto(`${url}${PATH}/confirm`)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`${url}/health`)
    t.strictSame(state.answers, [{ allow: false }])
  })

  await t.test('signed out before the answer: sign in, and back to the request', async t => {
    const { person, page } = await signedIn()
    person.expect(`401 ${PATH}`, '401 /api/csrf-token')
    await page.goto(url + PATH)
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await person.context.clearCookies()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${url}/login?${new URLSearchParams({ next: PATH })}`)
    t.strictSame(state.answers, [])
  })

  await t.test('the session has ended, and the access token is valid: to the login page, no redirect loop', async t => {
    const { user, person, page } = await signedIn()
    person.expect(`401 ${PATH}/request`, '401 /api/auth/refresh')
    // As in the moment before the instance knows that the session has ended.
    await owner.query('ALTER TABLE refresh_tokens DISABLE TRIGGER USER')
    await owner.query('UPDATE refresh_tokens SET revoked_at = now() WHERE user_id = $1', [user.id])
    await owner.query('ALTER TABLE refresh_tokens ENABLE TRIGGER USER')
    await page.goto(url + PATH)
    await page.getByLabel('Username or email').fill(user.username)
    await page.locator('#password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    t.equal(page.url(), url + PATH)
  })

  await t.test('confirm: not signed in any more: sign in, and back to the request', async t => {
    const { person, page } = await signedIn()
    person.expect(`401 ${PATH}/request`)
    await person.context.clearCookies()
    await page.goto(`${url}${PATH}/confirm`)
    await page.waitForURL(`${url}/login?${new URLSearchParams({ next: PATH })}`)
  })
})
