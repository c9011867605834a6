// Tokens that are bound to a key of the application: RFC 9449, by oauth4webapi.
import { calculateJwkThumbprint, decodeJwt, exportJWK, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import t, { type Test } from 'tap'
import type { NewApplication } from '../../../plugins/records/openid/applications.ts'
import { createUser, type Browser } from '../../support/browser.ts'
import { beginSignIn, follow, startProvider, type RelyingParty } from '../../support/openid/provider.ts'
import { ORDERS, RESOURCES, VAULT } from '../../support/openid/resources.ts'

const HTTP = { [oauth.allowInsecureRequests]: true }
const REDIRECT = 'https://spa.example.org/callback'

async function start (t: Test, given: Partial<NewApplication> = {}) {
  const provider = await startProvider(t, RESOURCES)
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const discovered = await oauth.discoveryRequest(new URL(provider.issuer), HTTP)
  const server = await oauth.processDiscoveryResponse(new URL(provider.issuer), discovered)
  const application = await provider.addApplication({
    kind: 'public', redirectUris: [REDIRECT], resources: [ORDERS, VAULT], ...given,
  })
  return { ...provider, user, browser, server, application }
}

type Started = Awaited<ReturnType<typeof start>>
const newKey = () => oauth.generateKeyPair('ES256', { extractable: true })
type Key = Awaited<ReturnType<typeof newKey>>

/** The code of a sign-in, with what else the exchange needs. */
async function codeFor (application: RelyingParty, browser: Browser, parameters: Record<string, string> = {}) {
  const { path, checks } = await beginSignIn(application, parameters)
  const { location } = await follow(browser, path)
  return { code: location?.searchParams.get('code') ?? '', verifier: checks.pkceCodeVerifier }
}

async function exchange ({ server, application, browser }: Started, key?: Key, parameters = {}) {
  const { path, checks } = await beginSignIn(application, parameters)
  const { location } = await follow(browser, path)
  const spa: oauth.Client = { client_id: application.id }
  const DPoP = key && oauth.DPoP(spa, key)
  const response = oauth.validateAuthResponse(server, spa, location as URL, checks.expectedState)
  const answer = await oauth.authorizationCodeGrantRequest(
    server, spa, oauth.None(), response, REDIRECT, checks.pkceCodeVerifier, { DPoP, ...HTTP })
  return oauth.processAuthorizationCodeResponse(server, spa, answer)
}

async function refresh ({ server, application }: Started, token = '', key?: Key) {
  const spa: oauth.Client = { client_id: application.id }
  const DPoP = key && oauth.DPoP(spa, key)
  const answer = await oauth.refreshTokenGrantRequest(server, spa, oauth.None(), token, { DPoP, ...HTTP })
  return oauth.processRefreshTokenResponse(server, spa, answer)
}

async function userinfo ({ server, application }: Started, token: string, key?: Key) {
  const spa: oauth.Client = { client_id: application.id }
  const DPoP = key && oauth.DPoP(spa, key)
  return (await oauth.userInfoRequest(server, spa, token, { DPoP, ...HTTP })).status
}

type Refused = { error?: string, status?: number }
const outcome = (asked: Promise<unknown>) =>
  asked.then(() => 'ok', ({ error, status }: Refused) => `${status} ${error}`)

t.test('a public application that sends a proof: its tokens are bound to the key, from sign-in to refresh', async t => {
  const started = await start(t)
  const key = await newKey()
  const tokens = await exchange(started, key)
  t.equal(tokens.token_type, 'dpop')
  t.equal(await userinfo(started, tokens.access_token, key), 200)
  const answer = await fetch(`${started.issuer}/oidc/userinfo`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })
  t.equal(answer.status, 401, 'without the key it is worth nothing')
  t.not(await userinfo(started, tokens.access_token, await newKey()).catch(() => 401), 200, 'with another key')

  const next = await refresh(started, tokens.refresh_token, key)
  t.equal(next.token_type, 'dpop')
  t.equal(await userinfo(started, next.access_token, key), 200)
  t.equal(await outcome(refresh(started, next.refresh_token, key)), 'ok')
})

t.test('a stolen refresh token without the key: refused, and the owner goes on', async t => {
  const started = await start(t)
  const key = await newKey()
  const { refresh_token: first } = await exchange(started, key)
  for (const [name, stolen] of [['no key', undefined], ['another key', await newKey()]] as const) {
    t.equal(await outcome(refresh(started, first, stolen)), '400 invalid_grant', name)
  }
  const next = await refresh(started, first, key)
  t.ok(next.refresh_token)
  await started.owner.query("UPDATE application_grants SET rotated_at = now() - interval '1 minute'")
  t.equal(await outcome(refresh(started, first, await newKey())), '400 invalid_grant', 'an old one')
  const { rows } = await started.owner.query("SELECT FROM auth_events WHERE what = 'application_token_reused'")
  t.equal(rows.length, 0)
  t.equal(await outcome(refresh(started, next.refresh_token, key)), 'ok', 'what the thief did ended nothing')
})

t.test('dpop_bound_access_tokens: an application that must send a proof gets nothing without one', async t => {
  const started = await start(t, { dpopRequired: true })
  t.equal(await outcome(exchange(started)), '400 invalid_grant')
  const key = await newKey()
  const tokens = await exchange(started, key)
  t.equal(await outcome(refresh(started, tokens.refresh_token)), '400 invalid_grant')
  t.equal(await outcome(refresh(started, tokens.refresh_token, key)), 'ok')
  const free = await start(t)
  t.equal((await exchange(free)).token_type, 'bearer', 'others may go without')
})

t.test('tokens for resources name the key, in the JWT and at introspection', async t => {
  const started = await start(t)
  const { addApplication, issuer } = started
  const key = await newKey()
  const jkt = await calculateJwkThumbprint(await exportJWK(key.publicKey))
  const forOrders = await exchange(started, key, { scope: 'openid orders:read', resource: ORDERS })
  t.strictSame(decodeJwt(forOrders.access_token).cnf, { jkt })
  const forVault = await exchange(started, key, { scope: 'openid vault:read', resource: VAULT })
  const vault = await addApplication({ kind: 'machine', redirectUris: [], trusted: false, serves: VAULT })
  const answer = await fetch(`${issuer}/oidc/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ token: forVault.access_token, client_id: vault.id, client_secret: vault.secret }),
  })
  t.match(await answer.json(), { active: true, token_type: 'DPoP', cnf: { jkt } })
})

/** A proof by hand, for attacks. */
async function createProof (issuer: string, { privateKey, publicKey }: Key, claims: Record<string, unknown> = {}) {
  return new SignJWT({ jti: crypto.randomUUID(), htm: 'POST', htu: `${issuer}/oidc/token`, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: await exportJWK(publicKey) })
    .setIssuedAt(claims.iat as number | undefined)
    .sign(privateKey)
}

async function attack ({ application, browser, issuer }: Started, proof: string) {
  const { code, verifier } = await codeFor(application, browser)
  const answer = await fetch(`${issuer}/oidc/token`, {
    method: 'POST',
    headers: { dpop: proof },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: application.id,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
    }),
  })
  const body = await answer.json()
  return answer.ok ? 'ok' : `${answer.status} ${body.error}`
}

t.test('a replayed proof is refused: at once, later, and from a clock that is ahead', async t => {
  const started = await start(t)
  const { issuer, owner } = started
  const key = await newKey()
  const proof = await createProof(issuer, key)
  const together = await Promise.all([1, 2, 3].map(() => attack(started, proof)))
  t.strictSame(together.toSorted(), ['400 invalid_grant', '400 invalid_grant', 'ok'])
  t.equal(await attack(started, proof), '400 invalid_grant')

  // Valid for 300 seconds before and after its time: for 590 seconds from now on.
  const ahead = await createProof(issuer, key, { iat: Math.floor(Date.now() / 1_000) + 290 })
  t.equal(await attack(started, ahead), 'ok')
  await owner.query("UPDATE openid_artifacts SET expires_at = expires_at - interval '310 seconds' WHERE kind = 'Proof'")
  t.equal(await attack(started, ahead), '400 invalid_grant', 'five minutes later')
})

t.test('a proof of something else is refused', async t => {
  const started = await start(t)
  const { issuer } = started
  const key = await newKey()
  const now = Math.floor(Date.now() / 1_000)
  for (const [name, proof] of Object.entries({
    'another method': createProof(issuer, key, { htm: 'GET' }),
    'another endpoint': createProof(issuer, key, { htu: `${issuer}/oidc/userinfo` }),
    'another host': createProof(issuer, key, { htu: 'https://other.example/oidc/token' }),
    'too old': createProof(issuer, key, { iat: now - 600 }),
    'too far ahead': createProof(issuer, key, { iat: now + 600 }),
    'without an id': createProof(issuer, key, { jti: undefined }),
    'another signature': createProof(issuer, { ...await newKey(), publicKey: key.publicKey }),
    'no proof': Promise.resolve('x'),
  })) t.match(await attack(started, await proof), /^400 invalid_(dpop_proof|request)$/, name)
  t.equal(await attack(started, await createProof(issuer, key)), 'ok')
})

t.test('a code that is bound to a key (dpop_jkt) is worth nothing with another', async t => {
  const started = await start(t)
  const [key, other] = [await newKey(), await newKey()]
  const jkt = await calculateJwkThumbprint(await exportJWK(key.publicKey))
  t.equal(await outcome(exchange(started, other, { dpop_jkt: jkt })), '400 invalid_grant')
  t.equal(await outcome(exchange(started, undefined, { dpop_jkt: jkt })), '400 invalid_grant')
  t.equal(await outcome(exchange(started, key, { dpop_jkt: jkt })), 'ok')
})

t.test('a page on another origin may send a proof', async t => {
  const { app } = await start(t)
  const { headers } = await app.inject({
    method: 'OPTIONS',
    url: '/oidc/token',
    headers: {
      origin: 'https://spa.example.org',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'dpop,content-type',
    },
  })
  t.match(String(headers['access-control-allow-headers']).toLowerCase(), 'dpop')
})

t.test('machines may bind their tokens, too', async t => {
  const { addApplication, server } = await start(t)
  const machine = await addApplication({
    kind: 'machine', redirectUris: [], trusted: false, resources: [ORDERS], dpopRequired: true,
  })
  const key = await newKey()
  const program: oauth.Client = { client_id: machine.id }
  const ask = async (DPoP?: oauth.DPoPHandle) => oauth.processClientCredentialsResponse(server, program,
    await oauth.clientCredentialsGrantRequest(
      server, program, oauth.ClientSecretBasic(machine.secret), {}, { DPoP, ...HTTP }))
  t.equal(await outcome(ask()), '400 invalid_grant')
  const tokens = await ask(oauth.DPoP(program, key))
  const jkt = await calculateJwkThumbprint(await exportJWK(key.publicKey))
  t.strictSame(decodeJwt(tokens.access_token).cnf, { jkt })
})
