import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import type { Page } from 'playwright-core'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { createUser, PASSWORD } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { newPerson, startChromium, withoutChromium } from '../support/chromium.ts'
import { startApp } from '../support/deploy/apps.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, startInstances } from '../support/deploy/instances.ts'

const DOMAIN = 'two.localhost'
const [, DOCUMENTED = ''] =
  readFileSync('docs/deploy.md', 'utf8').match(/```nginx\n(server \{[^`]*app-host\.conf[^`]*)```/) ?? []

/** Its page uses the client of Gatehouse, and everything else responds with what the app got. */
const createApp = (auth: string, app: string): RequestListener => ({ url = '', headers }, answer) => {
  const isPage = !url.startsWith('/api/')
  answer.setHeader('content-type', isPage ? 'text/html' : 'application/json')
  answer.end(isPage
    ? `<!doctype html><title>App</title><h1>Hello ${headers['x-auth-username']}</h1>
      <script type="module">
        import { createClient } from '${auth}/gatehouse/client.js'
        window.client = createClient({ url: '${auth}' })
      </script>
      <form method="post" action="${auth}/logout">
        <input type="hidden" name="next" value="${app}/public">
        <button>Sign out</button>
      </form>`
    : JSON.stringify(headers))
}

async function signIn (page: Page, username: string) {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

t.test('an app on a host of its own, in Chromium behind nginx', {
  skip: withoutNginx || withoutRedis || withoutChromium,
}, async t => {
  const httpsPort = await freePort()
  const [auth, app] = [`https://auth.${DOMAIN}:${httpsPort}`, `https://app.${DOMAIN}:${httpsPort}`]
  const { owner, settings } = await productionSettings(t)
  const { ports } = await startInstances(t, {
    ...settings, PUBLIC_URL: auth, COOKIE_DOMAIN: DOMAIN, APP_ORIGINS: app,
  })
  await startFrontEnd(t, {
    instances: ports,
    app: await startApp(t, createApp(auth, app)),
    httpsPort,
    appHost: DOCUMENTED.replaceAll('app.example.com', `app.${DOMAIN}`),
  })
  const browser = await startChromium(t)
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
    t.match(got, { 'x-auth-user-id': user.id, host: `app.${DOMAIN}:${httpsPort}` })
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
})
