import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type pg from 'pg'
import * as client from 'openid-client'
import { createUser, type Browser } from '../browser.ts'
import { beginSignIn, CALLBACK, follow, signInTo, type Provider, type RelyingParty } from './provider.ts'

export interface Response { status: number, headers: Record<string, string | string[] | undefined>, body: string }

/** A request that can be sent as often as it is refused. */
export interface PreparedRequest {
  send (): Promise<Response>
  /** The status of its success. */
  usual: number
  isNavigation?: boolean
  /** Returns what is wrong after its success, if anything. */
  check? (response: Response): Promise<string | undefined> | string | undefined
  /** Whether it has had all of its effect without an answer, so that it is rightly refused when it is sent again. */
  isSpent? (): Promise<boolean>
}

const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** Each kind of request that the provider gets, with what it needs: a session, a code, tokens. */
export function prepareRequests (
  provider: Provider,
  owner: pg.Pool,
  application: RelyingParty,
  asking: RelyingParty,
  machine: RelyingParty
) {
  const { app, browse, issuer } = provider

  async function signedIn (): Promise<Browser> {
    const browser = browse()
    const { username } = await createUser(owner)
    await browser.signIn(username)
    return browser
  }

  /** A request of an application, with its secret. */
  async function ask (path: string, form: Record<string, string>, { id, secret } = application, more = {}) {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    return send(path, { method: 'POST', headers: { authorization, ...more }, body: new URLSearchParams(form) })
  }

  async function send (path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(issuer + path, { redirect: 'manual', ...init })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }

  async function visit (browser: Browser, path: string): Promise<Response> {
    const { statusCode: status, headers, body } = await browser.send('GET', path, undefined, NAVIGATION)
    return { status, headers: headers as Response['headers'], body }
  }

  const navigation = (browser: Browser, path: string, usual: number): PreparedRequest =>
    ({ send: () => visit(browser, path), usual, isNavigation: true })

  async function isActive (token: string): Promise<boolean> {
    return JSON.parse((await ask('/oidc/introspect', { token })).body).active
  }

  const mustBe = async (active: boolean, token = '') =>
    await isActive(token) === active ? undefined : `the token is ${active ? 'not ' : ''}active`

  /** The code works, too. */
  async function exchanges (
    { headers }: Response,
    { relyingParty }: RelyingParty,
    checks: client.AuthorizationCodeGrantChecks
  ) {
    const location = String(headers.location)
    if (!location.startsWith(`${CALLBACK}?code=`)) return `sent to ${location}`
    const { refresh_token: token } = await client.authorizationCodeGrant(relyingParty, new URL(location), checks)
    return token ? undefined : 'no refresh token'
  }

  async function authorize (parameters: Record<string, string> = {}): Promise<PreparedRequest> {
    const { path, checks } = await beginSignIn(application, parameters)
    return { ...navigation(await signedIn(), path, 303), check: response => exchanges(response, application, checks) }
  }

  async function push (): Promise<PreparedRequest> {
    const { url: { searchParams } } = await beginSignIn(application)
    return { send: () => ask('/oidc/par', Object.fromEntries(searchParams)), usual: 201 }
  }

  async function authorizePushed (): Promise<PreparedRequest> {
    const { url: { searchParams }, checks } = await beginSignIn(application)
    const { request_uri: uri } = JSON.parse((await ask('/oidc/par', Object.fromEntries(searchParams))).body)
    const query = new URLSearchParams({ client_id: application.id, request_uri: uri })
    return {
      ...navigation(await signedIn(), `/oidc/auth?${query}`, 303),
      check: response => exchanges(response, application, checks),
    }
  }

  /** At the question for consent. */
  async function interaction (parameters: Record<string, string> = {}) {
    const browser = await signedIn()
    const { path, checks } = await beginSignIn(asking, parameters)
    const first = await browser.get(path)
    return { browser, checks, path: new URL(String(first.headers.location), issuer).pathname }
  }

  /** On the way to a new proof of identity. */
  async function goOn (): Promise<PreparedRequest> {
    const { browser, path } = await interaction({ prompt: 'login', max_age: '0' })
    return navigation(browser, path, 303)
  }

  async function allow (): Promise<PreparedRequest> {
    const { browser, path } = await interaction()
    const { csrfToken } = (await browser.get('/api/csrf-token')).json()
    return {
      usual: 200,
      async send () {
        const sent = await browser.send('POST', path, { allow: true }, { 'x-csrf-token': csrfToken })
        return { status: sent.statusCode, headers: sent.headers as Response['headers'], body: sent.body }
      },
    }
  }

  async function resume (): Promise<PreparedRequest> {
    const { browser, checks, path } = await interaction()
    const { next } = (await browser.guarded('POST', path, { allow: true })).json()
    return {
      ...navigation(browser, new URL(next, issuer).pathname, 303),
      check: response => exchanges(response, asking, checks),
    }
  }

  async function exchange (scope: string): Promise<PreparedRequest> {
    const { path, checks } = await beginSignIn(application, { scope })
    const { location } = await follow(await signedIn(), path)
    const form = {
      grant_type: 'authorization_code',
      code: location?.searchParams.get('code') ?? '',
      code_verifier: checks.pkceCodeVerifier,
      redirect_uri: CALLBACK,
    }
    return {
      send: () => ask('/oidc/token', form),
      usual: 200,
      check: ({ body }) => mustBe(true, JSON.parse(body).refresh_token),
      // Only the answer to the commit was lost. The application signs in once more.
      async isSpent () {
        const { rows: [grant] } = await owner.query(
          'SELECT refresh FROM application_grants ORDER BY created_at DESC LIMIT 1')
        return grant.refresh !== null
      },
    }
  }

  async function refresh (scope: string): Promise<PreparedRequest> {
    const { refresh_token: token = '' } = await signInTo(application, await signedIn(), { scope })
    return {
      send: () => ask('/oidc/token', { grant_type: 'refresh_token', refresh_token: token }),
      usual: 200,
      check: ({ body }) => mustBe(true, JSON.parse(body).access_token),
    }
  }

  async function askAsMachine (): Promise<PreparedRequest> {
    return { send: () => ask('/oidc/token', { grant_type: 'client_credentials' }, machine), usual: 200 }
  }

  /** With a new proof each time, as each is accepted once. */
  async function refreshWithProof (): Promise<PreparedRequest> {
    const { refresh_token: token = '' } = await signInTo(application, await signedIn())
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = await exportJWK(publicKey)
    const prove = () => new SignJWT({ jti: crypto.randomUUID(), htm: 'POST', htu: `${issuer}/oidc/token` })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
      .setIssuedAt()
      .sign(privateKey)
    const form = { grant_type: 'refresh_token', refresh_token: token }
    return { send: async () => ask('/oidc/token', form, application, { dpop: await prove() }), usual: 200 }
  }

  async function userinfo (): Promise<PreparedRequest> {
    const { access_token: token } = await signInTo(application, await signedIn())
    return { send: () => send('/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } }), usual: 200 }
  }

  async function introspect (kind: 'access_token' | 'refresh_token'): Promise<PreparedRequest> {
    const token = (await signInTo(application, await signedIn()))[kind] ?? ''
    return {
      send: () => ask('/oidc/introspect', { token }),
      usual: 200,
      check: ({ body }) => JSON.parse(body).active ? undefined : 'not active',
    }
  }

  /** Whichever of the two is revoked, both end. */
  async function revoke (kind: 'access_token' | 'refresh_token', scope: string): Promise<PreparedRequest> {
    const tokens = await signInTo(application, await signedIn(), { scope })
    return {
      send: () => ask('/oidc/revoke', { token: tokens[kind] ?? '' }),
      usual: 200,
      check: async () =>
        await mustBe(false, tokens.access_token) ?? mustBe(false, tokens.refresh_token),
    }
  }

  async function signOut (): Promise<PreparedRequest> {
    const browser = await signedIn()
    const { id_token: hint = '', refresh_token: token } = await signInTo(application, browser)
    const query = new URLSearchParams({ id_token_hint: hint, same_site: '1' })
    return { ...navigation(browser, `/oidc/logout?${query}`, 303), check: () => mustBe(false, token) }
  }

  async function confirmSignOut (): Promise<PreparedRequest> {
    const browser = await signedIn()
    const { refresh_token: token } = await signInTo(application, browser)
    await visit(browser, '/oidc/logout')
    // As in the form of the page.
    const { rows: [{ xsrf }] } = await owner.query(`
      SELECT payload->'state'->>'secret' AS xsrf FROM openid_artifacts WHERE kind = 'Session'
      ORDER BY expires_at DESC LIMIT 1`)
    return {
      async send () {
        const { statusCode: status, headers, body } = await app.inject({
          method: 'POST',
          url: '/oidc/logout/confirm',
          headers: { ...NAVIGATION, 'content-type': 'application/x-www-form-urlencoded' },
          cookies: Object.fromEntries(browser.cookies),
          payload: `xsrf=${xsrf}&logout=yes`,
        })
        return { status, headers: headers as Response['headers'], body }
      },
      usual: 303,
      isNavigation: true,
      check: () => mustBe(false, token),
    }
  }

  const [ONLINE, OFFLINE] = ['openid email', 'openid email offline_access']
  return {
    'GET /oidc/auth': () => authorize(),
    'GET /oidc/auth, offline access': () => authorize({ scope: OFFLINE }),
    'GET /oidc/auth, pushed': authorizePushed,
    'GET /oidc/auth/:uid': resume,
    'POST /oidc/par': push,
    'GET /oidc/interaction/:uid': goOn,
    'POST /oidc/interaction/:uid': allow,
    'POST /oidc/token, code': () => exchange(ONLINE),
    'POST /oidc/token, code, offline access': () => exchange(OFFLINE),
    'POST /oidc/token, refresh': () => refresh(ONLINE),
    'POST /oidc/token, refresh, offline access': () => refresh(OFFLINE),
    'POST /oidc/token, machine': askAsMachine,
    'POST /oidc/token, refresh with a proof': refreshWithProof,
    'GET /oidc/userinfo': userinfo,
    'POST /oidc/introspect, access token': () => introspect('access_token'),
    'POST /oidc/introspect, refresh token': () => introspect('refresh_token'),
    'POST /oidc/revoke, access token': () => revoke('access_token', OFFLINE),
    'POST /oidc/revoke, refresh token': () => revoke('refresh_token', ONLINE),
    'GET /oidc/logout': signOut,
    'POST /oidc/logout/confirm': confirmSignOut,
  } satisfies Record<string, () => Promise<PreparedRequest>>
}
