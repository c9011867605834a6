import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../support/openid/provider.ts'

t.test('a NUL in a parameter is not an error of the service', async t => {
  const { addApplication, browse, issuer, owner } = await startProvider(t)
  const user = await createUser(owner)
  const application = await addApplication()
  for (const name of ['login_hint', 'nonce', 'state', 'ui_locales']) {
    const browser = browse()
    const { path } = await beginSignIn(application, { [name]: 'a\0b' })
    const begun = await browser.get(path)
    t.equal(begun.statusCode, 303, name)
    await browser.signIn(user.username)
    const { location } = await follow(browser, new URL(String(begun.headers.location), issuer).pathname)
    t.ok(location?.searchParams.get('code'), name)
  }
  const browser = browse()
  await browser.signIn(user.username)
  const tokens = await signInTo(application, browser, { nonce: 'a\0b' })
  t.equal(tokens.claims()?.nonce, 'a\0b')
  t.ok((await client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? '')).access_token)
})

t.test('CORS: the origin of a sandboxed page is not that of an app with a scheme of its own', async t => {
  const { addApplication, issuer } = await startProvider(t)
  const { id } = await addApplication({ kind: 'public', redirectUris: ['com.example.app:/callback'] })
  const { headers } = await fetch(`${issuer}/oidc/token`, {
    method: 'POST',
    headers: { origin: 'null' },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: id }),
  })
  t.equal(headers.get('access-control-allow-origin'), null)
})
