// Dynamic registration: RFC 7591.
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { createUser } from '../../support/browser.ts'
import { startProvider } from '../../support/openid/provider.ts'
import { allow, askForConsent, REDIRECT, register, relyingPartyOf } from '../../support/openid/self-registered.ts'
import { ORDERS, RESOURCES, VAULT } from '../../support/openid/resources.ts'

const AGENT = { client_name: 'Agent', redirect_uris: [REDIRECT] }
const PUBLIC = { ...AGENT, token_endpoint_auth_method: 'none' }
const KEYED = { ...AGENT, token_endpoint_auth_method: 'private_key_jwt' }
const PAIR = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY = PAIR.publicKey.export({ format: 'jwk' })
const MANY = [...Array(40)].map((_, index) => `${REDIRECT}/${index}${'x'.repeat(300)}`)
const LISTED = ['token_endpoint_auth_method', 'grant_types', 'response_types', 'redirect_uris', 'client_name']

async function start (t: Test, settings: Record<string, string> = {}) {
  const provider = await startProvider(t, { ...RESOURCES, OPENID_REGISTRATION: 'open', ...settings })
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  return { ...provider, browser, user }
}

t.test('off and documents: no endpoint, and nothing in the discovery documents', async t => {
  for (const [setting, documents] of [['off', undefined], ['documents', true]] as const) {
    const { app, issuer } = await startProvider(t, { OPENID_REGISTRATION: setting })
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      const found = await (await fetch(`${issuer}/.well-known/${path}`)).json()
      t.equal(found.registration_endpoint, undefined, setting)
      t.equal(found.client_id_metadata_document_supported, documents, setting)
    }
    t.equal((await app.inject({ method: 'POST', url: '/oidc/register', payload: AGENT })).statusCode, 404)
  }
})

t.test('open: in both discovery documents; the answer has what was registered', async t => {
  const provider = await start(t)
  for (const path of ['openid-configuration', 'oauth-authorization-server']) {
    t.match(await (await fetch(`${provider.issuer}/.well-known/${path}`)).json(), {
      registration_endpoint: `${provider.issuer}/oidc/register`,
      client_id_metadata_document_supported: true,
    })
  }
  const agent = await register(provider, PUBLIC)
  t.equal(agent.status, 201)
  t.equal(agent.headers.get('access-control-allow-origin'), '*')
  t.equal(agent.headers.get('cache-control'), 'no-store')
  t.match(agent.body, {
    client_id: /^[0-9a-f-]{36}$/,
    client_id_issued_at: Number,
    ...PUBLIC,
    application_type: 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  })
  t.notOk('client_secret' in agent.body)

  const server = await register(provider, AGENT)
  t.match(server.body, {
    client_secret: /^[\w-]{43}$/, client_secret_expires_at: 0, token_endpoint_auth_method: 'client_secret_basic',
  })
  const native = await register(provider, { redirect_uris: ['http://127.0.0.1:4711/callback'] })
  t.match(native.body, {
    application_type: 'native', token_endpoint_auth_method: 'none', client_name: '127.0.0.1:4711',
  }, 'what runs on the device of the user gets no secret')
  t.notOk('client_secret' in native.body)
  const { rows } = await provider.owner.query(`
    SELECT id, kind, trusted, registration, resources FROM applications ORDER BY created_at`)
  t.strictSame(rows.map(({ kind, trusted, registration, resources }) => [kind, trusted, registration, resources]), [
    ['public', false, 'dynamic', []], ['web', false, 'dynamic', []], ['public', false, 'dynamic', []],
  ])
})

t.test('asked every time; consent is not remembered; prompt=none is consent_required', async t => {
  const provider = await start(t)
  const { browser, owner, user } = provider
  for (const metadata of [PUBLIC, AGENT]) {
    const agent = await relyingPartyOf(provider, (await register(provider, metadata)).body)
    const tokens = await allow(provider, agent, browser)
    t.equal(tokens.claims()?.sub, user.id)
    t.ok((await client.refreshTokenGrant(agent.relyingParty, tokens.refresh_token ?? '')).access_token)
    const userinfo = await client.fetchUserInfo(agent.relyingParty, tokens.access_token, user.id)
    t.equal(userinfo.email, user.email)
    for (const scope of ['openid profile email', 'openid', 'openid offline_access']) {
      t.match((await askForConsent(provider, agent, browser, { scope })).location.pathname, '/oidc/interaction/', scope)
    }
    const silent = await askForConsent(provider, agent, browser, { prompt: 'none' })
    t.equal(silent.begun.json().error, 'consent_required')
    t.ok((await allow(provider, agent, browser, { scope: 'openid offline_access' })).refresh_token)
  }
  t.equal((await owner.query('SELECT FROM application_consents')).rowCount, 0)
})

t.test('an application that authenticates with its keys', async t => {
  const provider = await start(t)
  const { browser, issuer } = provider
  const { body } = await register(provider, { ...KEYED, jwks: { keys: [KEY] } })
  t.match(body, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ x: KEY.x }] } })
  t.notOk('client_secret' in body)
  const keyed = await relyingPartyOf(provider, body)
  const key = await crypto.subtle.importKey(
    'jwk', PAIR.privateKey.export({ format: 'jwk' }), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  keyed.relyingParty = await client.discovery(new URL(issuer), body.client_id, undefined, client.PrivateKeyJwt(key), {
    execute: [client.allowInsecureRequests],
  })
  t.ok((await allow(provider, keyed, browser)).access_token)
})

t.test('consent of one account is none of another', async t => {
  const provider = await start(t)
  const { browser, owner } = provider
  const agent = await relyingPartyOf(provider, (await register(provider, AGENT)).body)
  const { location: { pathname } } = await askForConsent(provider, agent, browser)
  const { next } = (await browser.guarded('POST', pathname, { allow: true })).json()
  await browser.post('/logout')
  await browser.signIn((await createUser(owner)).username)
  const resumed = await browser.get(new URL(next).pathname)
  t.equal(resumed.statusCode, 400)
  t.equal((await owner.query('SELECT FROM application_grants')).rowCount, 0)
})

t.test('resources: those that are open, in scopes_supported, without a scope all of them', async t => {
  const provider = await start(t, { OPENID_RESOURCE_ORDERS_OPEN: 'on' })
  const { browser, issuer } = provider
  const found = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()
  t.strictSame(found.scopes_supported,
    ['openid', 'profile', 'email', 'offline_access', 'orders:read', 'orders:write'])
  const agent = await relyingPartyOf(provider, (await register(provider, PUBLIC)).body)
  const one = await allow(provider, agent, browser, { scope: 'orders:read', resource: ORDERS })
  t.match(decodeJwt(one.access_token), { aud: ORDERS, scope: 'orders:read', client_id: agent.id })
  const all = await allow(provider, agent, browser, { scope: '', resource: ORDERS })
  t.match(decodeJwt(all.access_token), { aud: ORDERS, scope: 'orders:read orders:write' })
  const closed = await askForConsent(provider, agent, browser, { scope: 'openid vault:read', resource: VAULT })
  t.equal(closed.begun.json().error, 'invalid_target')
})

t.test('no scope at all: the user is asked even so', async t => {
  const provider = await start(t)
  const agent = await relyingPartyOf(provider, (await register(provider, AGENT)).body)
  const { location } = await askForConsent(provider, agent, provider.browser, { scope: 'unknown' })
  t.notMatch(location.href, REDIRECT, location.href)
})

t.test('refused: what an application may not be', async t => {
  const provider = await start(t)
  for (const [problem, metadata, code = 'invalid_client_metadata'] of [
    ['no redirect URI', { client_name: 'Agent' }],
    ['client_credentials', { ...AGENT, grant_types: ['client_credentials'] }],
    ['the device flow', { ...AGENT, grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }],
    ['implicit', { ...AGENT, response_types: ['token'] }],
    ['a key elsewhere', { ...AGENT, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://127.0.0.1/' }],
    ['a key that cannot be stored', { ...KEYED, jwks: { keys: [{ ...KEY, kid: 'a\0b' }] } }],
    ['a private key', { ...KEYED, jwks: { keys: [{ ...KEY, d: 'x' }] } }],
    ['no key', { ...KEYED, jwks: { keys: [null] } }],
    ['a secret as a key', { ...AGENT, token_endpoint_auth_method: 'client_secret_jwt' }],
    ['control characters', { ...AGENT, client_name: 'Agent\u202e' }],
    ['a long name', { ...AGENT, client_name: 'A'.repeat(101) }],
    ['a name that is none', { ...AGENT, client_name: { toString: 1 } }],
    ['a list that is none', { ...AGENT, redirect_uris: REDIRECT }, 'invalid_redirect_uri'],
    ['too much', { ...AGENT, redirect_uris: MANY }],
    ['javascript:', { ...AGENT, redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['data:', { ...PUBLIC, redirect_uris: ['data:text/html,1'] }, 'invalid_redirect_uri'],
    ['http:', { ...PUBLIC, redirect_uris: ['http://agent.example.net/'] }, 'invalid_redirect_uri'],
    ['a scheme without a dot', { ...PUBLIC, redirect_uris: ['agent:/callback'] }, 'invalid_redirect_uri'],
    ['an array', [AGENT], 'invalid_request'],
    ['no JSON', '{', 'invalid_request'],
  ] as Array<[string, unknown, string?]>) {
    const { status, body } = await register(provider, metadata)
    t.match({ status, error: body.error }, { status: 400, error: code }, `${problem}: ${body.error_description}`)
  }
  t.equal((await provider.owner.query('SELECT FROM applications')).rowCount, 0)
})

t.test('ignored: what would make it trusted, or the service call an address', async t => {
  const provider = await start(t)
  const { status, body } = await register(provider, {
    ...AGENT,
    client_id: 'mine',
    client_secret: 'mine',
    trusted: true,
    pkceOptional: true,
    resources: [ORDERS],
    serves: ORDERS,
    registration: null,
    backchannel_logout_uri: 'http://127.0.0.1:1/',
    post_logout_redirect_uris: ['https://agent.example.net/'],
    sector_identifier_uri: 'https://127.0.0.1:1/',
    initiate_login_uri: 'https://127.0.0.1:1/',
    logo_uri: 'https://127.0.0.1:1/',
    jwks_uri: 'https://127.0.0.1:1/',
    scope: 'vault:read',
    subject_type: 'pairwise',
    id_token_signed_response_alg: 'none',
    ' ': true,
  })
  t.equal(status, 201)
  t.not(body.client_id, 'mine')
  t.not(body.client_secret, 'mine')
  for (const name of Object.keys(body)) t.notMatch(name, /_uri$|trusted|resources|serves|^ $/)
  for (const name of LISTED) t.ok(name in body, name)
  t.equal(body.id_token_signed_response_alg, 'ES256')
  const { rows } = await provider.owner.query('SELECT * FROM applications')
  t.strictSame(rows[0].post_logout_uris, [])
  const address = new URLSearchParams({
    client_id: body.client_id, post_logout_redirect_uri: 'https://agent.example.net/',
  })
  t.equal((await provider.browse().get(`/oidc/logout?${address}`)).statusCode, 400, 'no link leads to it')
  const asked = await provider.browser.get(`/oidc/logout?client_id=${body.client_id}`)
  t.match(asked.body, 'agent.example.net', 'by its address, also where it asks for a sign-out')
  t.notMatch(asked.body, 'Agent asks')
  t.match(rows[0], {
    trusted: false, pkce_optional: false, resources: [], serves: null, backchannel_logout_url: null, device: false,
  })
  await t.rejects(provider.owner.query('UPDATE applications SET trusted = true'), /never_trusted/)
})

t.test('the registration is turned off: those that registered themselves are refused', async t => {
  const provider = await start(t)
  const { body } = await register(provider, PUBLIC)
  const found = (registration: string) =>
    provider.app.selfRegistration.admit({ ...body, registration: registration as 'dynamic' })
  t.ok(found('dynamic'))
  const { app } = await startProvider(t)
  t.equal(app.selfRegistration.admit({ ...body, registration: 'dynamic' }), undefined)
})
