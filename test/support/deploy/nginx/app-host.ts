import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { createUser, PASSWORD } from '../../browser.ts'
import { newPerson, startChromium } from '../../chromium.ts'
import { DOMAIN, type Deployment } from './deployment.ts'

async function signIn (page: Page, username: string) {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

export async function testAppHost (t: Test, { owner, auth, app }: Deployment) {
  const browser = await startChromium()
  const live = async (userId: string) =>
    (await owner.query('SELECT FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL', [userId])).rowCount
  const person = await newPerson(t, browser, { ignoreHTTPSErrors: true, extraHTTPHeaders: {} })
  const page = await person.newPage()
  const run = <T>(script: string) => page.evaluate<T>(`(async () => { ${script} })()`)
  const user = await createUser(owner, { username: 'ada' })

  await t.test('sign in, and return to the page of the app', async t => {
    await page.goto(`${app}/report?year=2026`)
    t.equal(new URL(page.url()).origin, auth)
    await signIn(page, user.username)
    await page.waitForURL(`${app}/report?year=2026`)
    t.equal(await page.textContent('h1'), 'Hello ada')
    const tokens = (await person.context.cookies()).filter(({ name }) => name.endsWith('_token'))
    t.strictSame(tokens.map(({ name, domain }) => `${name} ${domain}`).sort(), [
      `__Host-refresh_token auth.${DOMAIN}`,
      `access_token .${DOMAIN}`,
    ])
  })

  await t.test('the client: user, CSRF token for Gatehouse alone, refresh', async t => {
    await page.waitForFunction('window.client')
    t.strictSame(await run('return client.me()'), { id: user.id, username: 'ada' })
    t.equal(await run(`return (await client.fetch('${auth}/api/sensitive', { method: 'POST' })).status`), 200)
    const got = await run<Record<string, string>>("return (await client.fetch('/api/x', { method: 'POST' })).json()")
    t.match(got, { 'x-auth-user-id': user.id, host: new URL(app).host })
    t.notOk('x-csrf-token' in got)
    t.notMatch(got.cookie, /refresh_token/)

    person.expect('401 /api/x', '401 /api/sensitive', '401 /api/csrf-token')
    await person.context.clearCookies({ name: 'access_token' })
    t.equal(await run("return (await client.fetch('/api/x', { method: 'POST' })).status"), 200, 'after a refresh')
    await person.context.clearCookies({ name: 'access_token' })
    t.equal(await run(`return (await client.fetch('${auth}/api/sensitive', { method: 'POST' })).status`), 200)
  })

  await t.test('a cookie that a sibling plants with a longer path changes nothing', async t => {
    const attacker = await newPerson(t, browser, { ignoreHTTPSErrors: true, extraHTTPHeaders: {} })
    const other = await attacker.newPage()
    await createUser(owner, { username: 'mallory' })
    await other.goto(`${app}/report`)
    await signIn(other, 'mallory')
    await other.waitForURL(`${app}/report`)
    const cookies = (await attacker.context.cookies()).filter(({ name }) => name === 'access_token')
    await person.context.addCookies(cookies.map(cookie => ({ ...cookie, path: '/report' })))
    await page.goto(`${app}/report`)
    t.equal(await page.textContent('h1'), 'Hello ada')
    await person.context.clearCookies({ name: 'access_token', path: '/report' })
  })

  await t.test('sign out by a form of the app', async t => {
    await page.goto(`${app}/report`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    // The app protects all of its pages: this one asks for a sign-in again.
    await page.waitForURL(`${auth}/login?next=${encodeURIComponent(`${app}/public`)}`)
    t.equal(await live(user.id), 0)
    t.notOk((await person.context.cookies()).some(({ name }) => name.endsWith('_token')))
  })

  for (const javaScriptEnabled of [true, false]) {
    await t.test(`the page to sign out, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async t => {
      const person = await newPerson(t, browser, { ignoreHTTPSErrors: true, extraHTTPHeaders: {}, javaScriptEnabled })
      const page = await person.newPage()
      await page.goto(`${auth}/logout?next=${encodeURIComponent(`${app}/public`)}`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${auth}/login?next=${encodeURIComponent(`${app}/public`)}`)
    })
  }
}
