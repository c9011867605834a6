import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../support/openid/provider.ts'

const { addApplication, browse, issuer, owner } = await startProvider(t)
t.afterEach(() => owner.query('DELETE FROM openid_artifacts; DELETE FROM applications; DELETE FROM users'))

t.test('a NUL in a parameter is not an error of the service', async t => {
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

t.test('introspection: for another application, a refresh token is no access token', async t => {
  const browser = browse()
  await browser.signIn((await createUser(owner)).username)
  const application = await addApplication()
  const { access_token: access, refresh_token: refresh = '' } = await signInTo(application, browser)
  const service = await addApplication({ kind: 'machine', redirectUris: [], postLogoutUris: [], trusted: false })
  for (const asking of [service, await addApplication()]) {
    t.match(await client.tokenIntrospection(asking.relyingParty, access), { active: true })
    t.strictSame(await client.tokenIntrospection(asking.relyingParty, refresh), { active: false })
  }
  t.match(await client.tokenIntrospection(application.relyingParty, refresh), { active: true })
})

t.test('a pushed request is not longer than one in a URL', async t => {
  const { url } = await beginSignIn(await addApplication({ kind: 'public' }), { state: 'x'.repeat(20_000) })
  const answer = await fetch(`${issuer}/oidc/par`, { method: 'POST', body: url.searchParams })
  t.equal(answer.status, 400)
  t.strictSame(await answer.json(), { error: 'invalid_request', error_description: 'the request is too long' })
  t.equal((await owner.query('SELECT FROM openid_artifacts')).rowCount, 0)
})

t.test('CORS: the origin of a sandboxed page is not that of an app with a scheme of its own', async t => {
  const { id } = await addApplication({ kind: 'public', redirectUris: ['com.example.app:/callback'] })
  const { headers } = await fetch(`${issuer}/oidc/token`, {
    method: 'POST',
    headers: { origin: 'null' },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: id }),
  })
  t.equal(headers.get('access-control-allow-origin'), null)
})
