import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { createUser } from '../../support/browser.ts'
import { ORDERS, REPORTS, RESOURCES } from '../../support/openid/resources.ts'
import { eventually } from '../../support/patience.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../../support/openid/provider.ts'

async function askedForConsent (t: Test, parameters: Record<string, string> = {}) {
  const provider = await startProvider(t)
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const application = await provider.addApplication({ trusted: false })
  const begin = async () => {
    const { path, checks } = await beginSignIn(application, parameters)
    const begun = await browser.get(path)
    return { begun, checks, interaction: new URL(String(begun.headers.location), provider.issuer).pathname }
  }
  return { ...provider, application, begin, browser, user }
}

t.test('consent: asked once for each set of scopes', async t => {
  const { application, begin, browser, user } = await askedForConsent(t)
  const { checks, interaction } = await begin()
  t.equal((await browser.get(interaction)).statusCode, 200)
  t.strictSame((await browser.get(`${interaction}/request`)).json(), {
    prompt: 'consent',
    application: { id: application.id, name: 'Orders', host: 'app.example.org', trusted: false },
    scopes: ['openid', 'profile', 'email'],
    resources: [],
    account: { username: user.username, email: user.email, name: null },
    secondFactor: false,
    language: 'en',
  })
  const { next } = (await browser.guarded('POST', interaction, { allow: true })).json()
  const { location } = await follow(browser, new URL(next).pathname)
  const tokens = await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
  t.equal(tokens.claims()?.sub, user.id)
  t.ok((await signInTo(application, browser)).claims(), 'then without a page')
  t.ok((await signInTo(application, browser, { scope: 'openid email' })).claims(), 'also for less')
  const more = await beginSignIn(application, { scope: 'openid offline_access' })
  t.match((await browser.get(more.path)).headers.location, '/oidc/interaction/')
})

t.test('consent: refused, the application is told, and may ask again', async t => {
  const { begin, browser } = await askedForConsent(t)
  const { interaction } = await begin()
  const { next } = (await browser.guarded('POST', interaction, { allow: false })).json()
  const { location } = await follow(browser, new URL(next).pathname)
  t.equal(location?.searchParams.get('error'), 'access_denied')
  t.match((await begin()).begun.headers.location, '/oidc/interaction/')
})

t.test('a new proof: refused, the application is told, and consent is no answer', async t => {
  const { begin, browser, owner } = await askedForConsent(t, { prompt: 'login' })
  await owner.query("UPDATE refresh_tokens SET signed_in_at = signed_in_at - interval '1 hour'")
  const { interaction } = await begin()
  t.equal((await browser.get(interaction)).headers.location, `${interaction}/confirm`)
  t.equal((await browser.guarded('POST', interaction, { allow: true })).statusCode, 404)
  const { next } = (await browser.guarded('POST', interaction, { allow: false })).json()
  const { location } = await follow(browser, new URL(next).pathname)
  t.equal(location?.searchParams.get('error'), 'access_denied')
})

t.test('consent: not without the CSRF token, not in another browser, not by GET, not twice', async t => {
  const { begin, browse, browser, owner, user } = await askedForConsent(t)
  const { interaction } = await begin()
  t.equal((await browser.post(interaction, { allow: true })).statusCode, 403)
  const other = browse()
  await other.signIn(user.username)
  t.equal((await other.guarded('POST', interaction, { allow: true })).statusCode, 404)
  t.equal((await browser.guarded('POST', interaction, { allow: 'yes' })).statusCode, 400)
  await browser.get(`${interaction}?allow=true`)
  t.equal((await owner.query('SELECT FROM application_consents')).rowCount, 0)
  const { next } = (await browser.guarded('POST', interaction, { allow: true })).json()
  await follow(browser, new URL(next).pathname)
  t.equal((await browser.guarded('POST', interaction, { allow: true })).statusCode, 404)
})

t.test('consent: signed out meanwhile: the page is told so (401), and the request stays', async t => {
  const { begin, browser, user } = await askedForConsent(t)
  const { interaction } = await begin()
  await browser.post('/logout')
  t.equal((await browser.get(`${interaction}/request`)).statusCode, 401)
  await browser.signIn(user.username)
  t.match((await browser.get(`${interaction}/request`)).json(), { account: { username: user.username } })
})

t.test('prompt=none without consent: consent_required; prompt=consent always asks', async t => {
  const { application, begin, browser } = await askedForConsent(t, { prompt: 'none' })
  const { location } = (await begin()).begun.headers
  t.equal(new URL(String(location)).searchParams.get('error'), 'consent_required')
  const { path } = await beginSignIn(application, { prompt: 'consent' })
  t.match((await browser.get(path)).headers.location, '/oidc/interaction/')
})

t.test('disconnected: what the application holds has ended, and it must ask again', async t => {
  const { application, begin, browser } = await askedForConsent(t)
  const { checks, interaction } = await begin()
  const { next } = (await browser.guarded('POST', interaction, { allow: true })).json()
  const { location } = await follow(browser, new URL(next).pathname)
  const tokens = await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
  const { applications } = (await browser.get('/api/auth/applications')).json()
  t.match(applications, [{ id: application.id, name: 'Orders' }])
  t.equal((await browser.guarded('DELETE', `/api/auth/applications/${application.id}`)).statusCode, 204)
  t.match(await client.tokenIntrospection(application.relyingParty, tokens.access_token), { active: false })
  t.match((await begin()).begun.headers.location, '/oidc/interaction/')
  t.equal((await browser.get('/api/auth/me')).statusCode, 200, 'the session of the browser goes on')
})

t.test('webhooks: allowed and disconnected, with the id of the application', async t => {
  const { app, application, begin, browser, owner, user } = await askedForConsent(t)
  const events = ['application.allowed', 'application.disconnected']
  await app.webhooks.add({ url: 'https://receiver.example/', events })
  const { interaction } = await begin()
  await browser.guarded('POST', interaction, { allow: true })
  await browser.guarded('DELETE', `/api/auth/applications/${application.id}`)
  const queued = await eventually(async () => {
    await app.announceEvents()
    return (await owner.query('SELECT type, account_id, data FROM webhook_deliveries ORDER BY id')).rows
  }, rows => rows.length === 2)
  t.match(queued, events.map(type => ({ type, account_id: user.id, data: { applicationId: application.id } })))
})

t.test('consent to resources: in the words of the operator, for each scope at its resource', async t => {
  const { addApplication, browse, issuer, owner } = await startProvider(t, {
    ...RESOURCES,
    // The same name as at another resource.
    OPENID_RESOURCE_REPORTS_SCOPES: 'orders:read=See all reports',
  })
  const user = await createUser(owner)
  const browser = browse()
  await browser.signIn(user.username)
  const application = await addApplication({ trusted: false, resources: [ORDERS, REPORTS] })
  const ask = async (resource: string, scope: string) => {
    const { path, checks } = await beginSignIn(application, { scope, resource })
    const begun = new URL(String((await browser.get(path)).headers.location), issuer)
    return { begun, checks, request: (await browser.get(`${begun.pathname}/request`)).json() }
  }
  const { begun, checks, request } = await ask(ORDERS, 'openid orders:read')
  t.match(request, {
    scopes: ['openid'],
    resources: [{
      uri: ORDERS,
      description: 'Your orders at Example',
      scopes: [{ name: 'orders:read', description: 'See your orders' }],
    }],
  })
  t.equal(request.resources[0].scopes.length, 1)
  const { next } = (await browser.guarded('POST', begun.pathname, { allow: true })).json()
  const { location } = await follow(browser, new URL(next).pathname)
  const tokens = await client.authorizationCodeGrant(application.relyingParty, location as URL, checks)
  t.match(decodeJwt(tokens.access_token), { aud: ORDERS, scope: 'orders:read' })
  const silent = await signInTo(application, browser, { scope: 'openid orders:read', resource: ORDERS })
  t.match(decodeJwt(silent.access_token), { aud: ORDERS, scope: 'orders:read' }, 'asked once')
  for (const [resource, scope] of [[ORDERS, 'openid orders:write'], [REPORTS, 'openid orders:read']] as const) {
    t.equal((await ask(resource, scope)).request.prompt, 'consent', `${resource} ${scope}`)
  }
  t.match((await browser.get('/api/auth/applications')).json(), {
    applications: [{ scopes: ['openid'], resources: [{ uri: ORDERS, description: 'Your orders at Example' }] }],
  })
})
