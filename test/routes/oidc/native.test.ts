// Applications on the device of the user: RFC 8252.
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { createUser } from '../../support/browser.ts'
import { startProvider, type RelyingParty } from '../../support/openid/provider.ts'
import { allow, askForConsent } from '../../support/openid/self-registered.ts'

const SCHEME = 'com.example.app:/callback'
const LOOPBACK = 'http://127.0.0.1/callback'

async function start (t: Test) {
  const provider = await startProvider(t)
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const native = await provider.addApplication({
    kind: 'public', trusted: false, redirectUris: [LOOPBACK, 'http://[::1]:1/callback', SCHEME],
  })
  const at = (uri: string) => ({ ...native, redirectUris: [uri] }) as RelyingParty
  return { ...provider, at, browser, user }
}

t.test('loopback with any port, a scheme of its own; no secret; asked each time', async t => {
  const provider = await start(t)
  const { at, browser, user } = provider
  for (const uri of ['http://127.0.0.1:4711/callback', 'http://127.0.0.1:65000/callback', 'http://[::1]:2/callback',
    LOOPBACK, SCHEME]) {
    const tokens = await allow(provider, at(uri), browser)
    t.equal(tokens.claims()?.sub, user.id, uri)
    t.ok((await client.refreshTokenGrant(at(uri).relyingParty, tokens.refresh_token ?? '')).access_token)
    const silent = await askForConsent(provider, at(uri), browser, { prompt: 'none' })
    t.equal(silent.location.searchParams.get('error'), 'interaction_required')
  }
})

t.test('another host, path, scheme, or a port elsewhere is refused', async t => {
  const provider = await start(t)
  for (const uri of [
    'http://127.0.0.1:4711/other', 'http://localhost:4711/callback', 'https://127.0.0.1:4711/callback',
    'http://127.0.0.2:4711/callback', 'http://127.0.0.1:4711@agent.example/callback', 'com.example.app:/other',
    'com.example.other:/callback', 'http://127.0.0.1.agent.example/callback', 'http://127.0.0.1:4711/callback?a=b',
  ]) {
    const { begun } = await askForConsent(provider, provider.at(uri), provider.browser)
    t.match({ status: begun.statusCode, ...begun.json() }, { status: 400, error: 'invalid_redirect_uri' }, uri)
  }
})

t.test('a code is worth nothing without the verifier', async t => {
  const provider = await start(t)
  const { at, browser, issuer } = provider
  const { location: { pathname } } = await askForConsent(provider, at(LOOPBACK), browser)
  const { next } = (await browser.guarded('POST', pathname, { allow: true })).json()
  const answer = await browser.get(new URL(next).pathname)
  const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? ''
  const exchange = (more: Record<string, string>) => fetch(`${issuer}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code', client_id: at(LOOPBACK).id, redirect_uri: LOOPBACK, code, ...more,
    }),
  })
  const refused = await exchange({ code_verifier: 'x'.repeat(43) })
  t.match({ status: refused.status, ...await refused.json() }, { status: 400, error: 'invalid_grant' })
  t.equal((await exchange({})).status, 400)
})
