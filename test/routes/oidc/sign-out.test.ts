import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { createUser } from '../../support/browser.ts'
import { signInTo, startProvider } from '../../support/openid/provider.ts'

const HOME = 'https://app.example.org/'

async function signedIn (t: Test) {
  const provider = await startProvider(t)
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const application = await provider.addApplication()
  const tokens = await signInTo(application, browser)
  const isSignedIn = async () => (await browser.get('/api/auth/me')).statusCode === 200
  const logout = (parameters: Record<string, string>) => browser.get(`/oidc/logout?${new URLSearchParams(parameters)}`)
  return { ...provider, application, browser, isSignedIn, logout, tokens, user }
}

t.test('sign-out with the ID token of this session: at once, and back to the application', async t => {
  const { application, isSignedIn, logout, tokens } = await signedIn(t)
  const answer = await logout({ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: HOME, state: 'a b' })
  t.match(answer, { statusCode: 303, headers: { location: `${HOME}?state=a+b` } })
  t.notOk(await isSignedIn())
  t.match(await client.tokenIntrospection(application.relyingParty, tokens.access_token), { active: false })
})

t.test('sign-out without an ID token: the user is asked, and a form without its secret does nothing', async t => {
  const { application, browser, isSignedIn, logout } = await signedIn(t)
  const page = await logout({ client_id: application.id, post_logout_redirect_uri: HOME })
  t.equal(page.statusCode, 200)
  t.match(page.body, 'Orders')
  t.ok(await isSignedIn())
  const [, secret = ''] = /name="xsrf" value="(\w+)"/.exec(page.body) ?? []
  const submit = (xsrf: string) => browser.send('POST', '/oidc/logout/confirm',
    new URLSearchParams({ xsrf, logout: 'yes' }).toString() as never,
    { 'content-type': 'application/x-www-form-urlencoded' })
  t.equal((await submit('0'.repeat(48))).statusCode, 400)
  t.ok(await isSignedIn())
  t.match(await submit(secret), { statusCode: 303, headers: { location: HOME } })
  t.notOk(await isSignedIn())
})

t.test('sign-out: an ID token of another session or user only asks', async t => {
  const { addApplication, application, browse, isSignedIn, logout, owner } = await signedIn(t)
  const stranger = browse()
  await stranger.signIn((await createUser(owner)).username)
  const theirs = await signInTo(application, stranger)
  t.equal((await logout({ id_token_hint: theirs.id_token ?? '' })).statusCode, 200)
  t.ok(await isSignedIn())
  const other = await addApplication()
  t.match((await logout({ id_token_hint: theirs.id_token ?? '', client_id: other.id })).statusCode, 400)
  t.equal((await logout({ id_token_hint: `${theirs.id_token?.slice(0, -8)}AAAAAAAA` })).statusCode, 400)
})

t.test('sign-out: only to a registered address', async t => {
  const { application, isSignedIn, logout, tokens } = await signedIn(t)
  for (const uri of ['https://evil.example/', `${HOME}?a`, 'https://app.example.org', 'javascript:alert(1)']) {
    const hint = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: uri }
    t.equal((await logout(hint)).statusCode, 400, uri)
    t.equal((await logout({ client_id: application.id, post_logout_redirect_uri: uri })).statusCode, 400, uri)
  }
  t.ok(await isSignedIn())
  const unknown = await logout({ post_logout_redirect_uri: 'https://evil.example/' })
  t.notMatch(unknown.body, 'evil.example')
})

t.test('sign-out: a hint whose key has retired still counts', async t => {
  const { app, isSignedIn, logout, owner, tokens } = await signedIn(t)
  const [key] = await app.signingKeys.forClients()
  await owner.query("UPDATE signing_keys SET signs_at = signs_at - interval '30 days'")
  await app.signingKeys.update()
  await owner.query("UPDATE signing_keys SET signs_at = signs_at - interval '1 hour'")
  await app.signingKeys.update()
  await owner.query("UPDATE signing_keys SET retired_at = retired_at - interval '10 minutes'")
  await app.signingKeys.update()
  await app.signingKeys.update()
  t.notOk((await app.signingKeys.published()).some(({ kid }) => kid === key?.kid), 'no longer published')
  const answer = await logout({ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: HOME })
  t.match(answer, { statusCode: 303, headers: { location: HOME } })
  t.notOk(await isSignedIn())
})

t.test('sign-out without a session: back to the application, or a page', async t => {
  const { application, browser, logout } = await signedIn(t)
  await browser.post('/logout')
  t.match(await logout({ client_id: application.id, post_logout_redirect_uri: HOME }), {
    statusCode: 303,
    headers: { location: HOME },
  })
  t.match(await logout({}), { statusCode: 303, headers: { location: '/oidc/logout/success' } })
  t.equal((await browser.get('/oidc/logout/success')).statusCode, 200)
})

t.test('a form of another site: the same as a navigation of our own', async t => {
  const { app, application } = await signedIn(t)
  const answer = await app.inject({
    method: 'POST',
    url: '/oidc/logout',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      origin: 'https://app.example.org',
    },
    payload: new URLSearchParams({ client_id: application.id, state: '"><script>' }).toString(),
  })
  const query = `client_id=${application.id}&amp;state=%22%3E%3Cscript%3E&amp;same_site=1`
  t.match(answer.body, `content="0;url=/oidc/logout?${query}"`)
})
