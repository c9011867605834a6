// The session of the browser is the session at the applications.
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { createUser, PASSWORD } from '../../support/browser.ts'
import type { User } from '../../../plugins/records/accounts/users.ts'
import { addTotp } from '../../support/second-factor.ts'
import { beginSignIn, CALLBACK, follow, signInTo, startProvider } from '../../support/openid/provider.ts'

const active = async (application: Awaited<ReturnType<typeof signedIn>>['application'], token: string) =>
  (await client.tokenIntrospection(application.relyingParty, token)).active

async function signedIn (t: Test, settings?: Record<string, string>, parameters?: Record<string, string>) {
  const provider = await startProvider(t, settings)
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const application = await provider.addApplication()
  const tokens = await signInTo(application, browser, parameters)
  return { ...provider, application, browser, tokens, user }
}

type SignedIn = Awaited<ReturnType<typeof signedIn>>

/** Each way of ending a session. */
const ENDS: Record<string, (signedIn: SignedIn) => Promise<unknown>> = {
  'sign-out': ({ browser }) => browser.post('/logout'),
  'end one': async ({ browse, browser, user }) => {
    const other = browse()
    await other.signIn(user.username)
    const { sessions } = (await other.get('/api/auth/sessions')).json()
    const ended = sessions.find(({ current }: { current: boolean }) => !current)
    return other.guarded('DELETE', `/api/auth/sessions/${ended.id}`)
  },
  'end others': async ({ browse, user }) => {
    const other = browse()
    await other.signIn(user.username)
    return other.guarded('DELETE', '/api/auth/sessions')
  },
  'password changed elsewhere': async ({ browse, user }) => {
    const other = browse()
    await other.signIn(user.username)
    return other.guarded('POST', '/api/auth/password', { current: PASSWORD, password: 'gl4ss-Harmonica-7!' })
  },
  'account disabled': async ({ app, user }) => app.administration.disable(await app.users.findById(user.id) as User),
  'account deleted': ({ owner, user }) => owner.query('DELETE FROM users WHERE id = $1', [user.id]),
  'ended by an operator': async ({ app, user }) =>
    app.administration.endSessions(await app.users.findById(user.id) as User),
  'reuse of its refresh token': ({ owner }) =>
    owner.query("UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'reuse'"),
}

for (const [way, end] of Object.entries(ENDS)) {
  t.test(`what an application holds ends with the session: ${way}`, async t => {
    const found = await signedIn(t)
    const { application, tokens } = found
    t.equal(await active(application, tokens.access_token), true)
    await end(found)
    t.equal(await active(application, tokens.access_token), false)
    t.equal(await active(application, tokens.refresh_token ?? ''), false)
    const { relyingParty } = application
    const refused = (asked: Promise<unknown>) => asked.then(() => {}, ({ status }) => status)
    t.equal(await refused(client.refreshTokenGrant(relyingParty, tokens.refresh_token ?? '')), 400)
    t.equal(await refused(client.fetchUserInfo(relyingParty, tokens.access_token, client.skipSubjectCheck)), 401)
  })
}

t.test('a new proof of identity replaces the session: the application goes on, with the same sid', async t => {
  const { application, browser, tokens } = await signedIn(t)
  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  t.equal(await active(application, tokens.access_token), true)
  const refreshed = await client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? '')
  t.equal(refreshed.claims()?.sid, tokens.claims()?.sid)
  const again = await signInTo(application, browser)
  t.equal(again.claims()?.sid, tokens.claims()?.sid)
  await browser.post('/logout')
  t.equal(await active(application, refreshed.access_token), false)
})

t.test('offline access: a session of its own, named after the application, that ends like any other', async t => {
  const { application, browse, browser, tokens, user } = await signedIn(t, {}, { scope: 'openid offline_access' })
  const { sessions } = (await browser.get('/api/auth/sessions')).json()
  const [offline] = sessions.filter(({ current }: { current: boolean }) => !current)
  t.match(offline, { device: 'Orders', application: { id: application.id, name: 'Orders' } })
  await browser.post('/logout')
  const refreshed = await client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? '')
  t.equal(await active(application, refreshed.access_token), true, 'it outlives the session of the browser')
  const other = browse()
  await other.signIn(user.username)
  t.equal((await other.guarded('DELETE', `/api/auth/sessions/${offline.id}`)).statusCode, 204)
  t.equal(await active(application, refreshed.access_token), false)
})

t.test('two applications know the session by different ids', async t => {
  const { addApplication, application, browser, tokens } = await signedIn(t)
  const other = await addApplication({ name: 'Billing' })
  const there = await signInTo(other, browser)
  t.not(there.claims()?.sid, tokens.claims()?.sid)
  t.equal((await signInTo(application, browser)).claims()?.sid, tokens.claims()?.sid)
})

t.test('a refresh token that was replaced long ago signs nobody in at an application', async t => {
  const { application, browser, owner } = await signedIn(t)
  const stolen = new Map(browser.cookies)
  await browser.refresh()
  await owner.query("UPDATE refresh_tokens SET rotated_at = now() - interval '1 minute'")
  browser.cookies.clear()
  browser.cookies.set('refresh_token', stolen.get('refresh_token') ?? '')
  const { path } = await beginSignIn(application, { prompt: 'none' })
  t.equal((await follow(browser, path)).location?.searchParams.get('error'), 'login_required')
})

t.test('a session that must still add a second factor gets no code', async t => {
  const provider = await startProvider(t, { SECOND_FACTOR: 'required' })
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const application = await provider.addApplication()
  const silent = await beginSignIn(application, { prompt: 'none' })
  t.equal((await follow(browser, silent.path)).location?.searchParams.get('error'), 'login_required')
  const { path } = await beginSignIn(application)
  const begun = await browser.get(path)
  const led = await browser.get(String(begun.headers.location).replace(provider.issuer, ''))
  t.match(led.headers.location, /^\/dashboard\?next=%2Foidc%2Finteraction%2F/)
})

t.test('without a session: to the login page, which leads back to the application', async t => {
  const provider = await startProvider(t)
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  const application = await provider.addApplication()
  const { path, checks } = await beginSignIn(application, {
    login_hint: user.email,
    prompt: 'login',
    ui_locales: 'xx de',
  })
  const begun = await browser.get(path)
  const interaction = new URL(String(begun.headers.location), provider.issuer).pathname
  const login = await browser.get(interaction)
  t.equal(login.statusCode, 303)
  t.match((await browser.get(String(login.headers.location))).body, '<html lang="de"')
  const { searchParams } = new URL(String(login.headers.location), provider.issuer)
  t.equal(searchParams.get('next'), interaction)
  t.equal(searchParams.get('login_hint'), user.email)
  t.equal((await provider.browse().get(interaction)).statusCode, 404, 'not for another browser')
  await browser.signIn(user.username)
  const { location } = await follow(browser, interaction)
  t.equal(`${location?.origin}${location?.pathname}`, CALLBACK)
  const tokens = await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
  t.equal(tokens.claims()?.sub, user.id)
})

t.test('prompt=login and max_age: only a new proof leads on, and auth_time is true', async t => {
  const { application, browser, owner, issuer } = await signedIn(t)
  await owner.query("UPDATE refresh_tokens SET signed_in_at = signed_in_at - interval '1 hour'")
  for (const parameters of [{ prompt: 'login' }, { max_age: '60' }] as Array<Record<string, string>>) {
    const { path, checks } = await beginSignIn(application, parameters)
    const begun = await browser.get(path)
    const interaction = new URL(String(begun.headers.location), issuer).pathname
    const asked = await browser.get(interaction)
    t.equal(asked.headers.location, `${interaction}/confirm`)
    t.match((await browser.get(`${interaction}/request`)).json(), { prompt: 'login', application: { name: 'Orders' } })
    t.equal((await browser.get(interaction)).headers.location, `${interaction}/confirm`, 'not without a proof')
    const before = Math.floor(Date.now() / 1_000)
    await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })
    const { location } = await follow(browser, interaction)
    const tokens = await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
    t.ok(Number(tokens.claims()?.auth_time) >= before)
    await owner.query("UPDATE refresh_tokens SET auth_time = auth_time - interval '1 hour'")
  }
  const fresh = await signInTo(application, browser, { max_age: '7200' })
  t.ok(fresh.claims()?.auth_time, 'a proof that is recent enough is not asked for again')
})

t.test('acr_values=aal2: answered by the second factor of the account', async t => {
  const { application, browser, issuer, owner, user } = await signedIn(t)
  const without = await signInTo(application, browser, { acr_values: 'aal2' })
  t.equal(without.claims()?.acr, 'aal1', 'the account has no second factor, and the token says so')
  const { freshCode } = await addTotp(owner, user.id)
  const { path, checks } = await beginSignIn(application, { acr_values: 'aal2' })
  const interaction = new URL(String((await browser.get(path)).headers.location), issuer).pathname
  t.equal((await browser.get(interaction)).headers.location, `${interaction}/confirm`)
  t.match((await browser.get(`${interaction}/request`)).json(), { secondFactor: true })
  await browser.guarded('POST', '/api/auth/reauthenticate', { code: await freshCode() })
  const { location } = await follow(browser, interaction)
  const tokens = await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
  t.match(tokens.claims(), { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] })
  t.equal((await signInTo(application, browser, { acr_values: 'aal2' })).claims()?.acr, 'aal2', 'then without a page')
})

t.test('a copy of the refresh token of a session that is bound to a device signs nobody in', async t => {
  for (const [setting, error] of [['on', 'login_required'], ['off', null]] as const) {
    const { application, browser, owner } = await signedIn(t, { DEVICE_BOUND_SESSIONS: setting })
    await owner.query("UPDATE refresh_tokens SET device_key = 'the thumbprint of a key'")
    const access = browser.cookies.get('access_token') ?? ''
    browser.cookies.delete('access_token')
    const { path } = await beginSignIn(application, { prompt: 'none' })
    t.equal((await follow(browser, path)).location?.searchParams.get('error'), error, setting)
    browser.cookies.set('access_token', access)
    const { path: again } = await beginSignIn(application, { prompt: 'none' })
    t.equal((await follow(browser, again)).location?.searchParams.get('error'), null, 'with an access token')
  }
})
