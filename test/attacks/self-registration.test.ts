// Applications register themselves: without end, and under a name that users trust.
import type { FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { MAX_ALLOWED } from '../../plugins/openid/self-registration.ts'
import { MAX_REGISTERED, MAX_WAITING } from '../../plugins/records/openid/registrations.ts'
import { applicationHost } from '../../src/openid/application-host.ts'
import { createUser } from '../support/browser.ts'
import { startDocuments } from '../support/openid/documents.ts'
import { beginSignIn, follow, startProvider } from '../support/openid/provider.ts'
import { allow, askForConsent, REDIRECT, register, relyingPartyOf } from '../support/openid/self-registered.ts'

const AGENT = { client_name: 'Agent', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }

const NAVIGATION = { 'sec-fetch-mode': 'navigate' }
const SETTINGS = { OPENID_REGISTRATION: 'open', OPENID_DOCUMENTS_PRIVATE: 'allow' }

/** For all tests without settings of their own. */
const shared = await startProvider(t, SETTINGS)
t.afterEach(() => shared.owner.query('DELETE FROM applications; DELETE FROM users'))

async function start (t: Test, settings?: Record<string, string>) {
  const provider = settings ? await startProvider(t, { ...SETTINGS, ...settings }) : shared
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  const count = async () => (await provider.owner.query('SELECT FROM applications')).rowCount
  /** As if others had registered before. */
  const fill = (number: number, allowed = false) => provider.owner.query(`
    INSERT INTO applications (id, name, kind, registration, allowed_at)
    SELECT gen_random_uuid(), 'Agent', 'public', 'dynamic', CASE WHEN $2 THEN now() END FROM generate_series(1, $1)`,
  [number, allowed])
  return { ...provider, browser, count, fill }
}

t.test('ten thousand registrations from one address: a hundred an hour, the others are 429', async t => {
  const provider = await start(t, { LIMIT_GENERAL_MAX: '100', TRUST_PROXY: '127.0.0.1' })
  const from = (address: string) => register(provider, AGENT, { 'x-forwarded-for': address })
  const outcomes: Record<number, number> = {}
  for (let round = 0; round < 30; round++) {
    for (const { status } of await Promise.all([...Array(10)].map(() => from('198.51.100.1')))) {
      outcomes[status] = (outcomes[status] ?? 0) + 1
    }
  }
  t.strictSame(outcomes, { 201: 100, 429: 200 })
  t.equal(await provider.count(), 100)
  const refused = await from('198.51.100.1')
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.equal((await from('198.51.100.2')).status, 201, 'others are not concerned')
})

t.test('ten thousand registrations from ten thousand addresses: a thousand wait, the oldest makes room', async t => {
  const provider = await start(t)
  t.equal(MAX_WAITING, 1_000)
  await provider.fill(MAX_WAITING)
  await provider.owner.query("UPDATE applications SET created_at = now() - interval '1 hour'")
  const allowed = (await register(provider, AGENT)).body
  await allow(provider, await relyingPartyOf(provider, allowed), provider.browser)
  const answers = await Promise.all([...Array(50)].map(() => register(provider, AGENT)))
  for (const { status } of answers) t.equal(status, 201, 'nobody is locked out')
  t.equal(await provider.count(), MAX_WAITING + 1)
  const ids = [allowed, ...answers.map(({ body }) => body)].map(body => body.client_id)
  const { rowCount } = await provider.owner.query('SELECT FROM applications WHERE id = ANY ($1)', [ids])
  t.equal(rowCount, 51, 'those that are new, and those that a user has allowed, stay')

  await provider.owner.query("UPDATE applications SET created_at = now() - interval '25 hours'")
  await provider.app.purge.run()
  t.equal(await provider.count(), 1, 'the others are gone a day later')
})

t.test('documents that browsers were made to name take no place, until a user allows one', async t => {
  const provider = await start(t)
  const paths = [...Array(20).keys()].map(index => `/${index}.json`)
  const { origin, asked } = await startDocuments(t, Object.fromEntries(paths.map(path => [path, {}])))
  const agents = await Promise.all(paths.map(path => relyingPartyOf(provider, { client_id: origin + path })))
  for (const agent of agents) {
    const { location } = await askForConsent(provider, agent, provider.browse())
    t.match(location.pathname, '/oidc/interaction/')
  }
  t.equal(await provider.count(), 0)
  const [agent] = agents
  if (agent) await allow(provider, agent, provider.browser)
  t.equal(await provider.count(), 1)
  t.equal(asked.length, 20, 'each is read once')
})

t.test('an application with a document is asked about by an instance that has not read it', async t => {
  const provider = await start(t)
  const { asked, origin } = await startDocuments(t, { '/agent.json': {} })
  const agent = await relyingPartyOf(provider, { client_id: `${origin}/agent.json` })
  const { location: { pathname } } = await askForConsent(provider, agent, provider.browser)
  const { app } = await startProvider(t, { ...SETTINGS, DATABASE_URL: provider.app.config.DATABASE_URL as string })
  const found = await app.clientDocuments.find(agent.id, { ip: '198.51.100.1' } as FastifyRequest)
  t.match(found, { name: 'Agent', registration: 'document' })
  t.equal(asked.length, 2)
  t.equal((await provider.browser.guarded('POST', pathname, { allow: true })).statusCode, 200)
  t.equal(await provider.count(), 1)
})

t.test('a request without a user does not keep a place', async t => {
  const provider = await start(t)
  const { body } = await register(provider, AGENT)
  const agent = await relyingPartyOf(provider, body)
  const { location } = await askForConsent(provider, agent, provider.browser)
  await fetch(`${provider.issuer}/oidc/par`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: body.client_id,
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    }),
  })
  const waiting = async () => (await provider.owner.query('SELECT FROM applications WHERE allowed_at IS NULL')).rowCount
  t.equal(await waiting(), 1)
  await provider.browser.guarded('POST', location.pathname, { allow: false })
  t.equal(await waiting(), 1)
  await allow(provider, agent, provider.browser)
  t.equal(await waiting(), 0)
})

t.test('those that users have allowed are bounded, too', async t => {
  const provider = await start(t)
  await provider.fill(MAX_REGISTERED, true)
  t.equal((await register(provider, AGENT)).status, 429)
  await provider.owner.query('DELETE FROM applications WHERE id IN (SELECT id FROM applications LIMIT 1)')
  t.equal((await register(provider, AGENT)).status, 201)
})

t.test('one account cannot take all places: it allows a hundred in a day, and others go on (429)', async t => {
  const provider = await start(t)
  const { app, browser, owner } = provider
  const agent = await relyingPartyOf(provider, (await register(provider, AGENT)).body)
  const decide = async (by = browser) => {
    const { location: { pathname } } = await askForConsent(provider, agent, by)
    return by.guarded('POST', pathname, { allow: true })
  }
  const { rows: [{ id: userId }] } = await owner.query('SELECT id FROM users')
  for (let each = 1; each < MAX_ALLOWED; each++) await app.selfRegistration.countAllowed(userId)
  t.equal((await decide()).statusCode, 200)
  const refused = await decide()
  t.equal(refused.statusCode, 429)
  t.ok(Number(refused.headers['retry-after']) > 3_600)
  const another = provider.browse()
  await another.signIn((await createUser(owner)).username)
  t.equal((await decide(another)).statusCode, 200)
})

t.test('consent phishing: the name of the operator\'s own application', async t => {
  const provider = await start(t)
  const { app, browser, issuer } = provider
  await provider.addApplication({ name: 'Orders', trusted: true })
  const { origin } = await startDocuments(t, {
    '/orders.json': { client_name: 'Orders', client_uri: issuer, logo_uri: `${issuer}/logo`, trusted: true },
  })
  for (const { client_id: id } of [
    (await register(provider, { ...AGENT, client_name: 'Orders', client_uri: issuer })).body,
    { client_id: `${origin}/orders.json` },
  ]) {
    const agent = await relyingPartyOf(provider, { client_id: id })
    for (const parameters of [{}, { prompt: 'none' }, { prompt: 'consent' }, { max_age: '100' }]) {
      const { begun, location } = await askForConsent(provider, agent, browser, parameters as Record<string, string>)
      const isAsked = location.pathname.startsWith('/oidc/interaction/')
      t.ok(isAsked || begun.json().error === 'consent_required', location.href)
    }
    const { location: { pathname } } = await askForConsent(provider, agent, browser)
    const { application } = (await browser.get(`${pathname}/request`)).json()
    t.strictSame(application, {
      id,
      name: 'Orders',
      host: 'agent.example.net',
      trusted: false,
      unverified: { document: id.startsWith('http') ? new URL(origin).host : null, onDevice: false },
    })
    const tokens = await allow(provider, agent, browser)
    t.ok(tokens.access_token)
  }
  const { applications } = (await browser.get('/api/auth/applications')).json()
  t.match(applications, [{ name: 'Orders', unverified: true }, { name: 'Orders', unverified: true }])
  t.strictSame(applications.map(({ host }: { host: string }) => host).toSorted(),
    [new URL(origin).host, 'agent.example.net'].toSorted())
  const { applications: listed } = await app.manageApplications.listRegistered(10)
  t.strictSame(listed.map(({ registration }) => String(registration)).toSorted(), ['document', 'dynamic'])
})

t.test('an application that also names the address of a well-known service is not shown as that one', async t => {
  const provider = await start(t)
  const { browser } = provider
  const uris = ['https://well-known.example/callback', REDIRECT]
  const { body } = await register(provider, { ...AGENT, client_name: 'Chrome on Windows', redirect_uris: uris })
  const agent = await relyingPartyOf(provider, { ...body, redirect_uris: [REDIRECT] })
  await allow(provider, agent, browser, { scope: 'openid offline_access' })
  const both = 'well-known.example, agent.example.net'
  const { applications } = (await browser.get('/api/auth/applications')).json()
  t.match(applications, [{ name: 'Chrome on Windows', host: both, unverified: true }])
  const { sessions } = (await browser.get('/api/auth/sessions')).json()
  t.equal(sessions.find(({ application }: { application?: object }) => application)?.device, both, 'no device')
  t.match((await browser.get(`/oidc/logout?client_id=${agent.id}`)).body, both)
})

t.test('a scheme of its own with the host of another service', async t => {
  const provider = await start(t)
  const uri = 'com.evil.app://accounts.example.com/callback'
  const { status, body } = await register(provider, { ...AGENT, redirect_uris: [uri] })
  t.match({ status, ...body }, { status: 400, error: 'invalid_redirect_uri', error_description: /one slash/ })
  t.equal(applicationHost(uri), 'com.evil.app', 'nor would it be shown')
  const { body: { client_id: id } } = await register(provider, { ...AGENT, redirect_uris: ['com.evil.app:/callback'] })
  const agent = await relyingPartyOf(provider, { client_id: id, redirect_uris: ['com.evil.app:/callback'] })
  const { location: { pathname } } = await askForConsent(provider, agent, provider.browser)
  const { application } = (await provider.browser.get(`${pathname}/request`)).json()
  t.match(application, { host: 'com.evil.app', unverified: { onDevice: true } })
})

t.test('names that show nothing, leave their line, or are that of the service', async t => {
  const provider = await start(t, { BRAND_NAME: 'Acme Accounts' })
  const status = async (name: string) => (await register(provider, { ...AGENT, client_name: name })).status
  for (const name of [
    '\u3164', '\u2800\u2800', '\u115f', '\ufe0f\ufe0f', '\u034f', '\u17b4', '\u{e0041}', '...',
    `A${'\u0301'.repeat(99)}`, 'Agent\u3164', 'Acme Accounts', 'acme  accounts', 'ACME-Accounts: sign in',
    '\uff21cme Accounts', '* Acme Accounts', 'Gatehouse command line',
  ]) t.equal(await status(name), 400, escape(name))
  for (const name of [
    'Agent', 'Agent (acme accounts)', 'Acme', 'Acme Accountsmith', '7', 'Übersetzer', '日本語',
    '\u0e17\u0e35\u0e48', '\u0648\u0643\u064a\u0644',
  ]) t.equal(await status(name), 201, escape(name))
})

t.test('the words of a document are not on our pages', async t => {
  const provider = await start(t)
  const words = 'Your account is locked. Call +1 555 0100'
  const uris = [words, `https://agent.example.net/${words}`, 'https://AGENT.example.net/555-0100', 'call-555-0100:/']
  const documents = {
    ...Object.fromEntries(uris.map((uri, index) => [`/uri-${index}`, { redirect_uris: [uri] }])),
    '/grants': { grant_types: [words] },
    '/responses': { response_types: [words] },
    '/method': { token_endpoint_auth_method: words },
    '/name': { client_name: `\u202e${words}` },
    '/key': {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ kty: words, kid: words, alg: words, use: words }] },
    },
  }
  const { origin } = await startDocuments(t, documents)
  for (const path of Object.keys(documents)) {
    const query = new URLSearchParams({ client_id: origin + path, response_type: 'code', same_site: '1' })
    const { statusCode, body: page } = await provider.app.inject({ url: `/oidc/auth?${query}`, headers: NAVIGATION })
    t.equal(statusCode, 400, path)
    t.match(page, /<h1>[^]*metadata document of the application/, path)
    t.notMatch(page, /locked|555/, path)
  }
})

t.test('open redirect: no browser is sent to the address of a stranger without a click', async t => {
  const provider = await start(t)
  const { owner } = provider
  const away = 'https://evil.example.net/out'
  const { origin } = await startDocuments(t, { '/agent.json': { post_logout_redirect_uris: [away] } })
  const { body } = await register(provider, { ...AGENT, post_logout_redirect_uris: [away] })
  for (const id of [body.client_id, `${origin}/agent.json`]) {
    const agent = await relyingPartyOf(provider, { client_id: id })
    // The ID token of another account, which the owner of the application can have.
    const other = provider.browse()
    await other.signIn((await createUser(owner)).username)
    const { id_token: hint = '' } = await allow(provider, agent, other)
    for (const browser of [provider.browse(), provider.browser]) {
      const signedOut = await browser.get(`/oidc/logout?${
        new URLSearchParams({ client_id: id, post_logout_redirect_uri: away })}`)
      t.match(signedOut, { statusCode: 400, headers: { location: undefined } }, 'sign-out')
      for (const parameters of [
        { prompt: 'none' }, { resource: 'https://nowhere.example' }, { response_type: 'token' }, { max_age: '-1' },
        { prompt: 'none', response_mode: 'form_post' }, { prompt: 'none', response_mode: 'fragment' },
      ] as Array<Record<string, string>>) {
        const { begun } = await askForConsent(provider, agent, browser, parameters)
        t.match(begun, { statusCode: 400, headers: { location: undefined } }, JSON.stringify(parameters))
        t.ok(begun.json().error)
      }
    }
    const { location } = await askForConsent(provider, agent, provider.browser, { id_token_hint: hint })
    const { answer } = await follow(provider.browser, location.pathname)
    t.match(answer, { statusCode: 400, headers: { location: undefined } }, 'the hint of another account')
    t.match(answer.json(), { error: 'login_required' })
  }

  const agent = await relyingPartyOf(provider, body)
  const { path } = await beginSignIn(agent, { prompt: 'none', state: 'x<y' })
  const page = await provider.app.inject({ url: `${path}&same_site=1`, headers: NAVIGATION })
  t.equal(page.statusCode, 400)
  t.match(page.body,
    /<a href="https:\/\/agent\.example\.net\/callback\?[^"<]*error=login_required[^"<]*"[^>]*>agent\.example\.net</)

  const { location: { pathname } } = await askForConsent(provider, agent, provider.browser)
  const { next } = (await provider.browser.guarded('POST', pathname, { allow: false })).json()
  const refused = await follow(provider.browser, new URL(next).pathname)
  t.equal(refused.location?.searchParams.get('error'), 'access_denied', 'who refuses goes back')
})
