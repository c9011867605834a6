// Proofs that are weaker, or of another account, than what an application asks for.
import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { addTotp } from '../support/second-factor.ts'
import { beginSignIn, follow, startProvider } from '../support/openid/provider.ts'

t.test('acr_values=aal2: a browser that may skip the second factor must give it, also without a session', async t => {
  const { addApplication, browse, issuer, owner } = await startProvider(t)
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
