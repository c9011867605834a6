import { randomUUID } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
import { startApplication } from '../../demo/application.ts'
import { freePort } from '../../demo/free-port.ts'
import { registerApplication } from '../../demo/register-application.ts'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { follow } from '../support/openid/provider.ts'
import { eventually } from '../support/patience.ts'

const port = await freePort()
const issuer = `http://127.0.0.1:${port}`
const registered = {
  issuer,
  clientId: randomUUID(),
  clientSecret: 'orders-Secret-of-the-demo',
  url: `http://localhost:${await freePort()}`,
}
const application = await startApplication(registered)
t.teardown(application.stop)
const { app, owner } = await build(t, {
  settings: { ...NO_LIMITS, OPENID: 'on', PUBLIC_URL: issuer, PORT: String(port), WEBHOOK_PRIVATE: 'allow' },
  before: app => registerApplication(app, registered),
})
await app.listen({ host: '127.0.0.1', port })
const user = await createUser(owner, { name: 'Ada <Lovelace>' })

/** A browser at the application, which keeps its cookie. */
function visit () {
  let cookie = ''
  async function send (method: string, path: string) {
    const response = await fetch(new URL(path, application.url), { method, headers: { cookie }, redirect: 'manual' })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return response
  }
  const page = async () => (await send('GET', '/')).text()
  return {
    page,
    isTold: async () => (await page()).includes('A back-channel logout arrived'),
    get: (path: string) => send('GET', path),
    press: async (button: string) => (await send('POST', `/${button}`)).headers.get('location') ?? '',
  }
}

const pathOf = (address: string) => address.slice(issuer.length)

type Visit = ReturnType<typeof visit>

/** Without a page of Gatehouse. */
async function signIn (browser: Browser, visitor: Visit) {
  const { location } = await follow(browser, pathOf(await visitor.press('sign-in')))
  await visitor.get(location?.href ?? '')
}

/** For the first time: the user is asked for consent. */
async function allow (browser: Browser, visitor: Visit) {
  const asked = await browser.get(pathOf(await visitor.press('sign-in')))
  const { next } = (await browser.guarded('POST', String(asked.headers.location), { allow: true })).json()
  const { location } = await follow(browser, pathOf(next))
  await visitor.get(location?.href ?? '')
}

t.test('demo application: shows who is signed in, with claims and shortened tokens', async t => {
  const [browser, visitor] = [createBrowser(app), visit()]
  await browser.signIn(user.username)
  t.match(await visitor.page(), 'You are signed out here')
  await allow(browser, visitor)
  const page = await visitor.page()
  t.match(page, '<h1>You are Ada &lt;Lovelace&gt;</h1>')
  for (const claim of ['sub', 'sid', 'amr', 'acr', 'email']) t.match(page, `<th scope="row">${claim}</th>`)
  t.notMatch(page, /[\w-]{30}\.[\w-]{30}/, 'no whole token')

  t.equal(await visitor.press('refresh'), '/')
  t.match(await visitor.page(), 'Refreshed: new access token')
  await visitor.press('userinfo')
  t.match(await visitor.page(), 'as the userinfo endpoint says')

  await t.test('demo application: signed out here only, the next sign-in asks for nothing', async t => {
    await visitor.press('sign-out')
    t.match(await visitor.page(), 'You are signed out here')
    await signIn(browser, visitor)
    t.match(await visitor.page(), '<h1>You are Ada')
  })

  await t.test('demo application: a sign-out at Gatehouse reaches it', async t => {
    const before = await (await visitor.get('/count')).text()
    await browser.post('/logout')
    await eventually(visitor.isTold, Boolean)
    t.match(await visitor.page(), 'You are signed out here')
    t.not(await (await visitor.get('/count')).text(), before, 'an open page reloads')
  })
})

t.test('demo application: sign out everywhere ends the session at Gatehouse', async t => {
  const [browser, visitor] = [createBrowser(app), visit()]
  await browser.signIn(user.username)
  await signIn(browser, visitor)
  const { location } = await follow(browser, pathOf(await visitor.press('sign-out-everywhere')))
  t.equal(location?.href, `${application.url}/`)
  t.equal((await browser.get('/api/auth/me')).statusCode, 401)
  t.ok(await eventually(visitor.isTold, Boolean))
})

t.test('demo application: a refresh that Gatehouse refuses is shown', async t => {
  const [browser, visitor] = [createBrowser(app), visit()]
  await browser.signIn(user.username)
  await signIn(browser, visitor)
  await owner.query('UPDATE application_grants SET ended_at = now()')
  await visitor.press('refresh')
  t.match(await visitor.page(), 'Gatehouse refused: invalid_grant')
})

t.test('demo application: POST /backchannel-logout: a forged logout token (400)', async t => {
  const { privateKey } = await generateKeyPair('ES256')
  const forged = await new SignJWT({ sid: randomUUID(), events: {}, jti: 'a' })
    .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt' })
    .setIssuer(issuer).setAudience(registered.clientId).setIssuedAt()
    .sign(privateKey)
  for (const body of [`logout_token=${forged}`, 'logout_token=x', '']) {
    const response = await fetch(`${application.url}/backchannel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    t.equal(response.status, 400)
  }
})

t.test('demo application: another start registers its new address, and the same secret', async t => {
  const { app: again } = await build(t, {
    settings: { DATABASE_URL: app.config.DATABASE_URL ?? '' },
    before: app => registerApplication(app, { ...registered, url: 'http://localhost:4200' }),
  })
  const found = await again.applications.find(registered.clientId)
  t.match(found, { redirectUris: ['http://localhost:4200/callback'], postLogoutUris: ['http://localhost:4200/'] })
  t.equal(found?.secrets.length, 1)
})
