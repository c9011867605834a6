import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { signInTo, startProvider } from '../../support/openid/provider.ts'

t.test('a signed-in user signs in to an application without a page', async t => {
  const { addApplication, browse, issuer, owner } = await startProvider(t)
  const user = await createUser(owner, { name: 'Ada Lovelace', language: 'en', time_zone: 'Europe/London' })
  const browser = browse()
  await browser.signIn(user.username)
  const application = await addApplication()
  const tokens = await signInTo(application, browser, { nonce: 'abc' })

  const claims = tokens.claims()
  t.match(claims, {
    iss: issuer,
    aud: application.id,
    sub: user.id,
    nonce: 'abc',
    name: 'Ada Lovelace',
    locale: 'en',
    zoneinfo: 'Europe/London',
    preferred_username: user.username,
    email: user.email,
    email_verified: true,
    amr: ['pwd'],
    acr: 'aal1',
    sid: /^[\da-f-]{36}$/,
  })
  t.match(await client.fetchUserInfo(application.relyingParty, tokens.access_token, user.id), {
    sub: user.id,
    email: user.email,
  })
  t.match(await client.tokenIntrospection(application.relyingParty, tokens.access_token), {
    active: true,
    sub: user.id,
    client_id: application.id,
  })
  const refreshed = await client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? '')
  t.equal(refreshed.claims()?.sid, claims?.sid)
  t.not(refreshed.refresh_token, tokens.refresh_token)
})
