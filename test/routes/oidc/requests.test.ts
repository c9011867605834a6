// What an application may ask for, and what it gets if it may not.
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { beginSignIn, CALLBACK, follow, startProvider } from '../../support/openid/provider.ts'

t.test('requests of applications', async t => {
  const provider = await startProvider(t)
  const { addApplication, app, browse, issuer, owner } = provider
  const user = await createUser(owner)
  const browser = browse()
  await browser.signIn(user.username)
  const application = await addApplication()
  const ask = async (change: (query: URLSearchParams) => void, asked = application) => {
    const { url } = await beginSignIn(asked)
    change(url.searchParams)
    return follow(browser, url.pathname + url.search)
  }

  t.test('redirect URIs are compared exactly', async t => {
    for (const uri of [
      `${CALLBACK}/`, `${CALLBACK}?a=1`, `${CALLBACK}#a`, 'https://app.example.org/callback/../callback',
      'https://app.example.org:443/callback', 'https://APP.example.org/callback', 'http://app.example.org/callback',
      'https://app.example.org.evil.example/callback', 'https://app.example.org@evil.example/callback',
      'https://evil.example/callback', 'javascript:alert(1)', 'data:text/html,x', '', '//evil.example', '/callback',
    ]) {
      const { answer, location } = await ask(query => query.set('redirect_uri', uri))
      t.equal(answer.statusCode, 400, uri)
      t.equal(location, undefined, uri)
      t.match(answer.json(), { error: uri ? 'invalid_redirect_uri' : 'invalid_request' }, uri)
    }
  })

  t.test('PKCE with S256 is required, except for an application whose record says so', async t => {
    const without = (query: URLSearchParams) => {
      query.delete('code_challenge')
      query.delete('code_challenge_method')
    }
    const plain = (query: URLSearchParams) => query.set('code_challenge_method', 'plain')
    for (const change of [without, plain]) {
      const { location } = await ask(change)
      t.equal(location?.searchParams.get('error'), 'invalid_request')
      t.equal(location?.searchParams.get('iss'), issuer)
    }
    const old = await addApplication({ pkceOptional: true })
    t.ok((await ask(without, old)).location?.searchParams.get('code'))
  })

  t.test('errors of the RFC, at the application', async t => {
    for (const [change, error] of [
      [query => query.set('response_type', 'token'), 'unsupported_response_type'],
      [query => query.set('response_type', 'id_token token'), 'unsupported_response_type'],
      [query => query.set('prompt', 'none login'), 'invalid_request'],
      [query => query.set('max_age', '-1'), 'invalid_request'],
      [query => query.append('state', 'again'), 'invalid_request'],
      [query => query.append('scope', 'openid'), 'invalid_request'],
      [query => query.set('request', 'eyJ'), 'request_not_supported'],
      [query => query.set('registration', '{}'), 'registration_not_supported'],
    ] as Array<[(query: URLSearchParams) => void, string]>) {
      const { answer, location } = await ask(change)
      const told = location && new URLSearchParams(location.search || location.hash.slice(1))
      t.equal(told ? told.get('error') : answer.json().error, error)
      t.notOk(told?.get('code'))
    }
  })

  t.test('an unknown application, or two client ids: a page for people, JSON for programs, no redirect', async t => {
    for (const id of ['unknown', '00000000-0000-4000-8000-000000000000', "' OR 1=1 --"]) {
      const { answer, location } = await ask(query => query.set('client_id', id))
      t.equal(location, undefined)
      t.match(answer, { statusCode: 400 })
      t.match(answer.json(), { error: 'invalid_client' })
    }
    const { answer } = await ask(query => query.append('client_id', application.id))
    t.match(answer.json(), { error: 'invalid_request' })
  })

  t.test('prompt=none: an error without a session, a code with one', async t => {
    const stranger = browse()
    const { path } = await beginSignIn(application, { prompt: 'none' })
    t.equal((await follow(stranger, path)).location?.searchParams.get('error'), 'login_required')
    t.ok((await follow(browser, path)).location?.searchParams.get('code'))
  })

  t.test('what else there is: no other grant, no other endpoint', async t => {
    const { token_endpoint: endpoint } = (await app.inject('/.well-known/openid-configuration')).json()
    const authorization = `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}`
    for (const grant of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:jwt-bearer']) {
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ grant_type: grant, username: user.username, password: user.password }),
      })
      t.equal(answer.status, 400, grant)
      t.match(await answer.json(), { error: 'unsupported_grant_type' }, grant)
    }
    for (const path of ['/oidc/reg', '/oidc/backchannel', '/oidc/me', '/oidc/session/end']) {
      t.equal((await app.inject(path)).statusCode, 404, path)
    }
  })

  t.test('discovery names what there is, from PUBLIC_URL', async t => {
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      const headers = { host: 'evil.example', origin: 'https://a.b' }
      const answer = await app.inject({ url: `/.well-known/${path}`, headers })
      t.notMatch(answer.body, 'evil.example')
      t.match(answer.headers, { 'access-control-allow-origin': /^(\*|https:\/\/a\.b)$/, 'x-frame-options': 'DENY' })
      t.match(answer.json(), {
        issuer,
        authorization_endpoint: `${issuer}/oidc/auth`,
        token_endpoint: `${issuer}/oidc/token`,
        userinfo_endpoint: `${issuer}/oidc/userinfo`,
        introspection_endpoint: `${issuer}/oidc/introspect`,
        revocation_endpoint: `${issuer}/oidc/revoke`,
        end_session_endpoint: `${issuer}/oidc/logout`,
        pushed_authorization_request_endpoint: `${issuer}/oidc/par`,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['ES256'],
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        authorization_response_iss_parameter_supported: true,
        acr_values_supported: ['aal1', 'aal2'],
      })
    }
  })

  t.test('CORS: only for the origins of a public application', async t => {
    const spa = await addApplication({ kind: 'public', redirectUris: ['https://spa.example.org/callback'] })
    const token = (id: string, origin: string) => fetch(`${issuer}/oidc/token`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: id }),
    })
    const own = await token(spa.id, 'https://spa.example.org')
    t.match(await own.json(), { error: 'invalid_grant' })
    t.equal(own.headers.get('access-control-allow-origin'), 'https://spa.example.org')
    t.equal(own.headers.get('access-control-allow-credentials'), null)
    const others = { 'https://evil.example': spa.id, 'https://app.example.org': application.id }
    for (const [origin, id] of Object.entries(others)) {
      const foreign = await token(id, origin)
      t.equal(foreign.headers.get('access-control-allow-origin'), null, origin)
    }
    const keys = await app.inject({ url: '/.well-known/jwks.json', headers: { origin: 'https://spa.example.org' } })
    t.equal(keys.headers['access-control-allow-origin'], '*')
  })

  t.test('pushed requests: used once', async t => {
    const { url, checks } = await beginSignIn(application)
    const authorization = `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}`
    const pushed = await fetch(`${issuer}/oidc/par`, {
      method: 'POST',
      headers: { authorization },
      body: url.searchParams,
    })
    t.equal(pushed.status, 201)
    const { request_uri: uri } = await pushed.json() as { request_uri: string }
    const path = `/oidc/auth?${new URLSearchParams({ client_id: application.id, request_uri: uri })}`
    const { location } = await follow(browser, path)
    t.equal(location?.searchParams.get('state'), checks.expectedState)
    t.ok(location?.searchParams.get('code'))
    t.match((await follow(browser, path)).answer.json(), { error: 'invalid_request_uri' })
  })
})
