import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { startApp } from '../support/deploy/apps.ts'

// With TLS, nginx and the access check: test/support/deploy/nginx/app-host.ts.

const DOMAIN = 'two.localhost'
const PAGE = '<!doctype html><link rel="icon" href="data:,"><title>App</title><h1>App</h1>'

t.test('two hosts: the browser client on a page of an app, and on one of its sibling', {
  skip: withoutChromium,
}, async t => {
  const port = await startApp(t, (_request, answer) => {
    answer.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  })
  const [app, sibling] = ['app', 'shop'].map(name => `http://${name}.${DOMAIN}:${port}`) as [string, string]
  const service = await openService(t, { COOKIE_DOMAIN: DOMAIN, APP_ORIGINS: app }, { host: `auth.${DOMAIN}` })
  const { url, owner } = service
  const { id, username } = await createUser(owner)
  const live = async () => (await service.app.sessionsStore.live(id)).length
  const person = await newPerson(t, await startChromium(), { extraHTTPHeaders: {} })
  const page = await person.newPage()
  const run = <T>(script: string) => page.evaluate<T>(`(async () => {
    const { createClient } = await import('${url}/gatehouse/client.js')
    const client = window.client ??= createClient({ url: '${url}' })
    ${script}
  })()`)

  await t.test('an app: signs in on the page of Gatehouse, and uses the client', async t => {
    await page.goto(app)
    t.equal(await run('return client.me()'), null)
    await page.goto(`${url}/login?next=${encodeURIComponent(`${app}/orders?a=b`)}`)
    await page.getByLabel('Username or email').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${app}/orders?a=b`)
    t.strictSame(await run('return client.me()'), { id, username })
    t.equal(await run(`return (await client.fetch('${url}/api/sensitive', { method: 'POST' })).status`), 200)

    person.expect('401 /api/auth/me')
    await person.context.clearCookies({ name: 'access_token' })
    t.equal(await run(`return (await client.fetch('${url}/api/auth/me')).status`), 200, 'after a refresh')
  })

  await t.test('a sibling: reads nothing and signs nobody out', async t => {
    person.expect(/blocked by CORS policy/, /^net::ERR_FAILED/, /^403 /)
    await page.goto(sibling)
    for (const path of ['/api/auth/session', '/gatehouse/client.js']) {
      const read = `fetch('${url}${path}', { credentials: 'include' }).then(() => 'read', error => error.name)`
      t.equal(await page.evaluate(read), 'TypeError', path)
    }
    await page.evaluate(`fetch('${url}/logout', { method: 'POST', credentials: 'include', mode: 'no-cors' })`)
    t.equal(await live(), 1)
    await page.setContent(`<form method="post" action="${url}/logout"><button>Go</button></form>`)
    await page.getByRole('button').click()
    await page.waitForURL(`${url}/logout`)
    t.equal(await live(), 1)
  })

  await t.test('an app: signs out', async t => {
    await page.goto(app)
    await run('return client.signOut()')
    t.equal(await live(), 0)
    t.equal(await run('return client.me()'), null)
  })

  await t.test('the login page leads to no sibling', async t => {
    const other = await newPerson(t, await startChromium(), { extraHTTPHeaders: {} })
    const page = await other.newPage()
    await page.goto(`${url}/login?next=${encodeURIComponent(sibling)}`)
    await page.getByLabel('Username or email').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${url}/dashboard`)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })
})
