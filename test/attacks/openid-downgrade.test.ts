// Proofs that are weaker, or of another account, than what an application asks for.
import * as client from 'openid-client'
import t from 'tap'
import { createUser, type Browser } from '../support/browser.ts'
import { addTotp } from '../support/second-factor.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../support/openid/provider.ts'

const { addApplication, browse, issuer, owner } = await startProvider(t)

t.test('acr_values=aal2: a browser that may skip the second factor must give it, also without a session', async t => {
  const user = await createUser(owner)
  const { freshCode } = await addTotp(owner, user.id)
  const application = await addApplication()
  const browser = browse()
  await browser.signIn(user.username)
  await browser.post('/login/second-factor', { code: await freshCode(), remember: true })
  await browser.post('/logout')

  const { path, checks } = await beginSignIn(application, { acr_values: 'aal2' })
  const interaction = new URL(String((await browser.get(path)).headers.location), issuer).pathname
  t.equal((await browser.signIn(user.username)).statusCode, 200, 'the password is enough here')
  t.equal((await browser.get(interaction)).headers.location, `${interaction}/confirm`, 'but not for the application')
  t.match((await browser.get(`${interaction}/request`)).json(), { secondFactor: true })
  await browser.guarded('POST', '/api/auth/reauthenticate', { code: await freshCode() })
  const { location } = await follow(browser, interaction)
  const tokens = await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
  t.equal(tokens.claims()?.acr, 'aal2')
})

t.test('another account between the request and its answer', async t => {
  const [first, second] = [await createUser(owner), await createUser(owner)]
  const pathOf = (location: unknown) => new URL(String(location), issuer).pathname
  const isSignedIn = async (browser: Browser) => (await browser.get('/api/auth/me')).statusCode === 200

  /** A browser that is signed in to the first account, and the interaction that follows. */
  async function begin (trusted: boolean, parameters?: Record<string, string>) {
    const application = await addApplication({ trusted })
    const browser = browse()
    const { path, checks } = await beginSignIn(application, parameters)
    const interaction = pathOf((await browser.get(path)).headers.location)
    await browser.signIn(first.username)
    const resume = pathOf((await browser.get(interaction)).headers.location)
    const exchange = async (location?: URL) =>
      (await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)).claims()
    return { browser, exchange, resume }
  }

  async function switchAccount (browser: Browser) {
    await browser.post('/logout')
    await browser.signIn(second.username)
  }

  t.test('at the question for consent: what follows is for the second, who stays signed in', async t => {
    const { browser, exchange, resume } = await begin(false)
    const consent = pathOf((await browser.get(resume)).headers.location)
    await switchAccount(browser)
    t.match((await browser.get(`${consent}/request`)).json(), { account: { username: second.username } })
    const { next } = (await browser.guarded('POST', consent, { allow: true })).json()
    t.equal((await exchange((await follow(browser, pathOf(next))).location))?.sub, second.id)
    t.ok(await isSignedIn(browser))
  })

  t.test('at the question for consent: the proof of the first does not count for the second', async t => {
    const { browser, resume } = await begin(false, { prompt: 'login' })
    const consent = pathOf((await browser.get(resume)).headers.location)
    await switchAccount(browser)
    await owner.query("UPDATE refresh_tokens SET signed_in_at = signed_in_at - interval '1 hour' WHERE user_id = $1",
      [second.id])
    const { next } = (await browser.guarded('POST', consent, { allow: true })).json()
    const asked = pathOf((await browser.get(pathOf(next))).headers.location)
    t.equal((await browser.get(asked)).headers.location, `${asked}/confirm`)
  })

  t.test('on the way back to the application: the same', async t => {
    const { browser, exchange, resume } = await begin(true)
    await switchAccount(browser)
    t.equal((await exchange((await follow(browser, resume)).location))?.sub, second.id)
    t.ok(await isSignedIn(browser))
  })
})

t.test('id_token_hint: only for the account that it names, also if nobody was signed in', async t => {
  const [user, other] = [await createUser(owner), await createUser(owner)]
  const application = await addApplication({ trusted: false })
  await owner.query("INSERT INTO application_consents VALUES ($1, $2, '{openid}')", [user.id, application.id])
  const before = browse()
  await before.signIn(user.username)
  const { id_token: hint = '' } = await signInTo(application, before, { scope: 'openid' })
  for (const [account, scope] of [[user, 'openid'], [other, 'openid'], [other, 'openid email']] as const) {
    const browser = browse()
    const { path } = await beginSignIn(application, { id_token_hint: hint, scope })
    const interaction = new URL(String((await browser.get(path)).headers.location), issuer).pathname
    await browser.signIn(account.username)
    const { location } = await follow(browser, interaction)
    t.equal(location?.searchParams.get('error'), account === user ? null : 'login_required')
    t.equal(location?.searchParams.has('code'), account === user)
  }
  // At the question for consent, another account is signed in.
  const { path } = await beginSignIn(application, { id_token_hint: hint, scope: 'openid email' })
  const interaction = new URL(String((await before.get(path)).headers.location), issuer).pathname
  await before.post('/logout')
  await before.signIn(other.username)
  const { next } = (await before.guarded('POST', interaction, { allow: true })).json()
  const { location } = await follow(before, new URL(next).pathname)
  t.equal(location?.searchParams.get('error'), 'login_required')
})
