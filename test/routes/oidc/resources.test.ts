// Tokens for resources: RFC 8707 and RFC 9068.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { createUser } from '../../support/browser.ts'
import { beginSignIn, follow, signInTo, startProvider } from '../../support/openid/provider.ts'
import { ORDERS, REPORTS, RESOURCES, VAULT } from '../../support/openid/resources.ts'
import { eventually } from '../../support/patience.ts'

type Refused = { error?: string, status?: number }
const outcome = (asked: Promise<unknown>) =>
  asked.then(() => 'ok', ({ error, status }: Refused) => `${status} ${error}`)

async function start (t: Test, settings: Record<string, string> = {}) {
  const provider = await startProvider(t, { ...RESOURCES, ...settings })
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const application = await provider.addApplication({ resources: [ORDERS, `${VAULT} vault:read`] })
  const introspect = async (by: { relyingParty: client.Configuration }, token: string) =>
    client.tokenIntrospection(by.relyingParty, token)
  return { ...provider, user, browser, application, introspect }
}

t.test('a token for a resource: at+jwt, 5 minutes, that audience alone, with how the user was proved', async t => {
  const { application, browser, issuer, user } = await start(t)
  const tokens = await signInTo(application, browser, { scope: 'openid orders:read', resource: ORDERS })
  const { payload, protectedHeader } = await jwtVerify(
    tokens.access_token,
    createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`)),
    { issuer, audience: ORDERS, typ: 'at+jwt', algorithms: ['ES256'] }
  )
  t.equal(protectedHeader.typ, 'at+jwt')
  t.match(payload, { sub: user.id, aud: ORDERS, scope: 'orders:read', client_id: application.id, acr: 'aal1' })
  t.match(payload.auth_time, Number)
  t.strictSame(payload.amr, ['pwd'])
  t.equal(Number(payload.exp) - Number(payload.iat), 300)
  t.equal(tokens.expires_in, 300)
  t.equal(tokens.claims()?.sub, user.id, 'with an ID token')

  const again = await client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? '')
  t.match(decodeJwt(again.access_token), { aud: ORDERS, scope: 'orders:read', acr: 'aal1' })
  t.notSame(decodeJwt(again.access_token).jti, payload.jti)
})

t.test('scopes: none of the resource named means all of the record; none beyond the record', async t => {
  const { application, browser, introspect, addApplication } = await start(t)
  const all = await signInTo(application, browser, { scope: 'openid', resource: ORDERS })
  t.equal(decodeJwt(all.access_token).scope, 'orders:read orders:write')
  const limited = await signInTo(application, browser, { scope: 'openid vault:read vault:write', resource: VAULT })
  t.match(await introspect(application, limited.access_token), { active: true, scope: 'vault:read', aud: VAULT })
  const withoutOpenid = await signInTo(application, browser, { scope: 'orders:read', resource: ORDERS })
  t.equal(withoutOpenid.id_token, undefined)
  t.equal(decodeJwt(withoutOpenid.access_token).scope, 'orders:read')

  for (const resource of [REPORTS, 'https://elsewhere.example', `${ORDERS}/`, 'orders', 'no URI']) {
    const { path } = await beginSignIn(application, { scope: 'openid reports:read', resource })
    const { location } = await follow(browser, path)
    t.equal(location?.searchParams.get('error'), 'invalid_target', resource)
  }
  const { path, checks } = await beginSignIn(application, { scope: 'openid orders:read', resource: ORDERS })
  const { location } = await follow(browser, path)
  const exchange = client.authorizationCodeGrant(application.relyingParty, location as URL, checks, { resource: VAULT })
  t.equal(await outcome(exchange), '400 invalid_target', 'a code for another resource')

  const other = await addApplication({ resources: [] })
  const begun = await beginSignIn(other, { scope: 'openid orders:read', resource: ORDERS })
  t.equal((await follow(browser, begun.path)).location?.searchParams.get('error'), 'invalid_target')
  const plain = await signInTo(application, browser, { scope: 'openid orders:read' })
  t.equal(plain.scope, 'openid', 'a scope of a resource is nothing without the resource')
})

t.test('mixed audiences: a token is worth nothing anywhere else', async t => {
  const provider = await start(t, { TOKEN_AUDIENCES: 'billing' })
  const { addApplication, app, application, browser, introspect, issuer } = provider
  const forOrders = (await signInTo(application, browser, { scope: 'openid email orders:read', resource: ORDERS }))
  const forVault = (await signInTo(application, browser, { scope: 'openid email vault:read', resource: VAULT }))
  const plain = await signInTo(application, browser)
  const vault = await addApplication({ kind: 'machine', redirectUris: [], trusted: false, serves: VAULT })
  const orders = await addApplication({ kind: 'machine', redirectUris: [], trusted: false, serves: ORDERS })
  const asker = await addApplication({ kind: 'machine', redirectUris: [], trusted: false })
  const trusted = await addApplication()

  t.match(await introspect(vault, forVault.access_token), { active: true, aud: VAULT, acr: 'aal1', sub: /./ })
  for (const [name, by] of Object.entries({ orders, asker, trusted })) {
    t.strictSame(await introspect(by, forVault.access_token), { active: false }, `${name} asks for a token of vault`)
  }
  t.strictSame(await introspect(vault, plain.access_token), { active: false }, 'one without a resource')
  t.match(await introspect(asker, plain.access_token), { active: true })
  for (const token of [forVault.refresh_token ?? '', forOrders.refresh_token ?? '']) {
    t.strictSame(await introspect(vault, token), { active: false }, 'a refresh token')
  }
  for (const token of [forOrders.access_token, forOrders.id_token ?? '']) {
    t.equal(await outcome(introspect(orders, token)), '400 unsupported_token_type', 'JWTs are verified, not asked for')
  }

  const { token: service } = (await browser.guarded('POST', '/api/auth/token', { audience: 'billing' })).json()
  for (const token of [forOrders.access_token, forVault.access_token, forOrders.id_token ?? '', service]) {
    const headers = { authorization: `Bearer ${token}` }
    t.ok([401, 403].includes((await app.inject({ url: '/oidc/userinfo', headers })).statusCode), 'at userinfo')
    t.equal((await app.inject({ url: '/api/auth/me', headers: { cookie: `access_token=${token}` } })).statusCode, 401)
    t.equal((await app.inject({ url: '/api/auth/verify', headers })).statusCode, 401)
  }
  t.equal(await outcome(client.refreshTokenGrant(application.relyingParty, forVault.access_token)), '400 invalid_grant')

  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))
  const verify = (token: string, audience: string) => jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt' })
    .then(() => 'accepted', ({ code, claim }) => claim ?? code)
  t.equal(await verify(forOrders.access_token, ORDERS), 'accepted')
  t.equal(await verify(forOrders.access_token, REPORTS), 'aud', 'at another resource')
  t.equal(await verify(forOrders.access_token, 'billing'), 'aud', 'as a service token')
  t.equal(await verify(service, ORDERS), 'aud', 'a service token at a resource')
  t.equal(await verify(forOrders.id_token ?? '', ORDERS), 'typ', 'an ID token as an access token')
  t.equal(await verify(forOrders.id_token ?? '', application.id), 'typ', 'also with its own audience')
})

t.test('opaque tokens end with the session, and with what the record allows', async t => {
  const { addApplication, app, application, browser, introspect } = await start(t)
  const sign = async () => signInTo(application, browser, { scope: 'openid vault:read', resource: VAULT })
  const vault = await addApplication({ kind: 'machine', redirectUris: [], trusted: false, serves: VAULT })
  const tokens = await sign()
  t.match(await introspect(vault, tokens.access_token), { active: true })
  const allow = async (resource: string) => {
    await app.manageApplications.change(application.id, { resources: [resource] })
    await eventually(() => app.findApplication(application.id), found => found?.resources.join() === resource)
  }
  await allow(ORDERS)
  t.strictSame(await introspect(vault, tokens.access_token), { active: false }, 'the record does not allow it any more')
  const refresh = () => outcome(client.refreshTokenGrant(application.relyingParty, tokens.refresh_token ?? ''))
  t.equal(await refresh(), '400 invalid_target')

  await allow(VAULT)
  t.match(await introspect(vault, tokens.access_token), { active: true })
  await browser.post('/logout')
  t.strictSame(await introspect(vault, tokens.access_token), { active: false }, 'signed out')
  t.equal(await refresh(), '400 invalid_grant')
})

t.test('two resources in one request: each token is for one of them', async t => {
  const { application, browser, introspect } = await start(t)
  const { url, checks } = await beginSignIn(application, { scope: 'openid orders:read vault:read', resource: ORDERS })
  url.searchParams.append('resource', VAULT)
  const { location } = await follow(browser, url.pathname + url.search)
  const { relyingParty } = application
  const tokens = await client.authorizationCodeGrant(relyingParty, location as URL, checks, { resource: ORDERS })
  t.match(decodeJwt(tokens.access_token), { aud: ORDERS, scope: 'orders:read' })
  const refresh = (parameters = {}) => client.refreshTokenGrant(relyingParty, tokens.refresh_token ?? '', parameters)
  t.match(await introspect(application, (await refresh({ resource: VAULT })).access_token),
    { aud: VAULT, scope: 'vault:read' })
  t.equal(await outcome(refresh()), '400 invalid_target', 'neither is meant')
  t.equal(await outcome(refresh({ resource: REPORTS })), '400 invalid_target')
})
