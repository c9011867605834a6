import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import { addApplication } from '../support/applications.ts'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { addTotp } from '../support/second-factor.ts'

/** An application on another host that shows what it got. */
async function startApplication (t: Test) {
  const server = createServer(({ url }, response) => response.end(`the application got ${url}`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('an application on another host signs users in', { skip: withoutChromium }, async t => {
  const service = await openService(t, { OPENID: 'on' })
  const { url, owner } = service
  const browser = await startChromium()
  const address = await startApplication(t)
  const id = await addApplication(owner, 'Photo Album', `${address}/callback`)
  await owner.query('UPDATE applications SET post_logout_uris = $1', [[`${address}/bye`]])

  function requestOf (parameters: Record<string, string> = {}) {
    const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url')
    return `${url}/oidc/auth?${new URLSearchParams({
      client_id: id,
      redirect_uri: `${address}/callback`,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    })}`
  }

  /** What the application got in the end. */
  async function resultOf (page: Page) {
    await page.waitForURL(`${address}/**`)
    return new URL(page.url()).searchParams
  }

  const provedLongAgo = (userId: string) =>
    owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour' WHERE user_id = $1", [userId])

  async function signIn (page: Page, username: string) {
    await page.getByLabel('Username or email').fill(username)
    await page.locator('#password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  await t.test('sign-in, consent, and the next time without a page; a new proof; sign-out', async t => {
    const user = await createUser(owner)
    const page = await (await newPerson(t, browser)).newPage()
    await page.goto(requestOf())
    await signIn(page, user.username)
    await page.getByText(`You are signed in as ${user.username}`).waitFor()
    t.match(await page.locator('main').innerText(), /Photo Album\s+127\.0\.0\.1:\d+/)
    await page.getByRole('button', { name: 'Allow' }).click()
    t.ok((await resultOf(page)).get('code'))
    await page.goto('about:blank')
    await page.goto(requestOf())
    t.ok((await resultOf(page)).get('code'), 'asked once')

    await provedLongAgo(user.id)
    await page.goto(requestOf({ prompt: 'login' }))
    await page.getByText('Photo Album asks you to confirm that it is you.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    t.equal((await resultOf(page)).get('error'), 'access_denied')
    await page.goto(requestOf({ prompt: 'login' }))
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    t.ok((await resultOf(page)).get('code'))

    await page.goto(`${url}/dashboard/applications`)
    await page.locator('#applications li').waitFor()
    t.match(await page.locator('#applications li').innerText(), /^Photo Album 127/)

    const query = new URLSearchParams({ client_id: id, post_logout_redirect_uri: `${address}/bye` })
    await page.goto(`${url}/oidc/logout?${query}`)
    await page.getByText('Photo Album asks you to sign out in this browser.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${address}/bye**`)
    t.strictSame(await service.app.sessionsStore.live(user.id), [])
  })

  await t.test('a second factor is asked for: with one, and without', async t => {
    const user = await createUser(owner)
    const person = await newPerson(t, browser)
    await person.signIn(service, user.username)
    const page = await person.newPage()
    await page.goto(requestOf({ acr_values: 'aal2' }))
    await page.getByRole('button', { name: 'Allow' }).click()
    t.ok((await resultOf(page)).get('code'), 'an account without one goes on')
    const { freshCode } = await addTotp(owner, user.id)
    await page.goto(requestOf({ acr_values: 'aal2' }))
    await page.getByText('Photo Album asks you to confirm with your second factor that it is you.').waitFor()
    await page.getByLabel('Code', { exact: true }).fill(await freshCode())
    await page.getByRole('button', { name: 'Confirm' }).click()
    t.ok((await resultOf(page)).get('code'))
    await provedLongAgo(user.id)
    await page.goto(requestOf({ prompt: 'login' }))
    await page.getByLabel('Code', { exact: true }).waitFor()
    t.notOk(await page.getByLabel('Your password').isVisible(), 'nor is the password enough for a new proof')
  })

  await t.test('Cancel; another account; a wrong request', async t => {
    const [user, other] = [await createUser(owner), await createUser(owner)]
    const person = await newPerson(t, browser)
    person.expect('400 /oidc/auth')
    await person.signIn(service, user.username)
    const page = await person.newPage()
    await page.goto(requestOf())
    await page.getByRole('button', { name: 'Cancel' }).click()
    t.equal((await resultOf(page)).get('error'), 'access_denied')

    await page.goto(requestOf())
    await page.getByRole('link', { name: 'Use another account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, other.username)
    await page.getByText(`You are signed in as ${other.username}`).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    t.ok((await resultOf(page)).get('code'))
    t.match(await service.app.connectedApplications.list(other.id), [{ id, scopes: ['email', 'openid'] }])
    t.strictSame(await service.app.connectedApplications.list(user.id), [])

    await page.goto(requestOf({ redirect_uri: `${address}/elsewhere` }))
    await page.getByText('The return address of the application is wrong').waitFor()
    await page.getByText('invalid_redirect_uri').waitFor()
  })
})
