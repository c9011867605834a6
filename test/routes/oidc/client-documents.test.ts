// Client ID metadata documents: the client_id is the address of a document that the service reads.
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { UNREADABLE } from '../../../src/openid/client-documents.ts'
import { createUser, type Browser } from '../../support/browser.ts'
import { startDocuments } from '../../support/openid/documents.ts'
import { startProvider, type Provider } from '../../support/openid/provider.ts'
import { allow, askForConsent, REDIRECT, relyingPartyOf } from '../../support/openid/self-registered.ts'
import { ORDERS, RESOURCES, VAULT } from '../../support/openid/resources.ts'

async function start (t: Test, settings: Record<string, string> = {}) {
  const provider = await startProvider(t, {
    ...RESOURCES, OPENID_REGISTRATION: 'documents', OPENID_DOCUMENTS_PRIVATE: 'allow', ...settings,
  })
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await browser.signIn(user.username)
  return { ...provider, browser, user }
}

/** What a browser sees that an application with this document sends. */
async function visit (provider: Provider & { browser: Browser }, url: string, parameters = {}) {
  const application = await relyingPartyOf(provider, { client_id: url })
  const { begun, location } = await askForConsent(provider, application, provider.browser, parameters)
  return { status: begun.statusCode, location, ...begun.statusCode >= 400 && { problem: begun.json() } }
}

t.test('a sign-in: the document is read once, the user is asked each time', async t => {
  const provider = await start(t, { OPENID_RESOURCE_VAULT_OPEN: 'on' })
  const { app, browser, owner, user } = provider
  const { asked, origin } = await startDocuments(t, { '/agent.json': { token_endpoint_auth_method: 'none' } })
  const agent = await relyingPartyOf(provider, { client_id: `${origin}/agent.json` })
  const tokens = await allow(provider, agent, browser)
  t.match(tokens.claims(), { sub: user.id, aud: `${origin}/agent.json` })
  const again = await client.refreshTokenGrant(agent.relyingParty, tokens.refresh_token ?? '')
  const userinfo = await client.fetchUserInfo(agent.relyingParty, again.access_token, user.id)
  t.equal(userinfo.email, user.email)
  t.match((await visit(provider, agent.id)).location.pathname, '/oidc/interaction/')
  const silent = await visit(provider, agent.id, { prompt: 'none' })
  t.match(silent, { status: 400, problem: { error: 'consent_required' } })

  const vault = await provider.addApplication({ kind: 'machine', redirectUris: [], trusted: false, serves: VAULT })
  const { access_token: token } = await allow(provider, agent, browser, { scope: 'vault:read', resource: `${VAULT}/` })
  t.match(await client.tokenIntrospection(vault.relyingParty, token),
    { active: true, aud: VAULT, client_id: agent.id, scope: 'vault:read' }, 'a slash after the host is the same')
  await client.tokenRevocation(agent.relyingParty, again.refresh_token ?? '')
  await t.rejects(client.refreshTokenGrant(agent.relyingParty, again.refresh_token ?? ''))
  t.strictSame(asked, ['/agent.json'])

  const { rows: [row] } = await owner.query('SELECT * FROM applications WHERE document_url IS NOT NULL')
  t.match(row, { registration: 'document', document_url: agent.id, trusted: false, name: 'Agent', kind: 'public' })
  t.ok(row.allowed_at)
  t.ok(row.last_used_at)
  const byRecord = await visit(provider, row.id)
  t.match(byRecord, { status: 400, problem: { error: 'invalid_client' } }, 'the id of the record is no client_id')
  await app.manageApplications.remove(row.id)
  await t.rejects(client.fetchUserInfo(agent.relyingParty, again.access_token, user.id))
})

t.test('off: it is an unknown client, and nothing is read', async t => {
  const { asked, origin } = await startDocuments(t, { '/agent.json': {} })
  const provider = await start(t, { OPENID_REGISTRATION: 'off' })
  t.match(await visit(provider, `${origin}/agent.json`), { status: 400, problem: { error: 'invalid_client' } })
  t.strictSame(asked, [])
})

t.test('only where a sign-in begins, not by a request for tokens', async t => {
  const { asked, origin } = await startDocuments(t, { '/agent.json': {} })
  const provider = await start(t)
  for (const path of ['token', 'revoke', 'introspect', 'device/auth']) {
    const answer = await fetch(`${provider.issuer}/oidc/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: `${origin}/agent.json`, grant_type: 'refresh_token', token: 'x' }),
    })
    t.equal(answer.status, 401, path)
  }
  t.strictSame(asked, [])
  t.match((await visit(provider, `${origin}/agent.json`)).location.pathname, '/oidc/interaction/')
})

t.test('refused: addresses and documents', async t => {
  const provider = await start(t)
  const { asked, origin } = await startDocuments(t, {
    '/agent.json': {},
    '/other.json': { client_id: 'https://agent.example.net/agent.json' },
    '/none.json': { client_id: undefined },
    '/secret.json': { client_secret: 'public' },
    '/basic.json': { token_endpoint_auth_method: 'client_secret_basic' },
    '/machine.json': { grant_types: ['client_credentials'] },
    '/javascript.json': { redirect_uris: ['javascript:alert(1)'] },
    '/data.json': { redirect_uris: ['data:text/html,1'] },
    '/http.json': { redirect_uris: ['http://agent.example.net/'] },
    '/name.json': { client_name: 'Agent\u202e' },
    '/list.json': (_request, response) => response.end('[]'),
    '/html.json': (_request, response) => response.end('<!doctype html>'),
    '/moved.json': (_request, response) => response.writeHead(302, { location: `${origin}/agent.json` }).end(),
    '/large.json': (_request, response, url) => response.end(JSON.stringify({
      client_id: url, client_name: 'Agent', redirect_uris: [REDIRECT], more: 'x'.repeat(16_400),
    })),
    '/cut.json': (_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{}')
      response.destroy()
    },
  })
  for (const [path, problem] of [
    ['/other.json', /another client_id/], ['/none.json', /another client_id/], ['/secret.json', /secret/],
    ['/basic.json', /token_endpoint_auth_method/], ['/machine.json', /grant_types/],
    ['/javascript.json', /redirect URI/],
    ['/data.json', /redirect URI/], ['/http.json', /use https:/], ['/name.json', /name/], ['/list.json', /JSON/],
    ['/html.json', /JSON/], ['/moved.json', UNREADABLE], ['/large.json', /too large/], ['/cut.json', /./],
    ['/missing.json', UNREADABLE],
  ] as const) {
    const { status, problem: found } = await visit(provider, origin + path)
    t.match({ status, ...found }, { status: 400, error: 'invalid_client', error_description: problem }, path)
  }
  t.notOk(asked.includes('/agent.json'), 'no redirect is followed')
  const before = asked.length
  for (const url of [
    `${origin}/`, origin, `${origin}/a/../agent.json`, `${origin}/agent.json#top`, `${origin}//agent.json/.`,
    origin.replace('http://', 'http://user@') + '/agent.json', origin.replace('http:', 'HTTP:') + '/agent.json',
    origin.replace('http:', 'ftp:') + '/agent.json', `${origin}/agent.json?${'x'.repeat(1_000)}`,
  ]) {
    t.match(await visit(provider, url), { status: 400, problem: { error: 'invalid_client' } }, url.slice(0, 80))
  }
  t.equal(asked.length, before)
  t.equal((await provider.owner.query('SELECT FROM applications')).rowCount, 0)
})

t.test('private addresses: not read, by their number nor by a name, whatever WEBHOOK_PRIVATE says', async t => {
  const provider = await start(t, { OPENID_DOCUMENTS_PRIVATE: 'refuse', WEBHOOK_PRIVATE: 'allow' })
  const { asked, origin } = await startDocuments(t, { '/agent.json': {} })
  for (const url of [
    `${origin}/agent.json`, origin.replace('127.0.0.1', 'localhost') + '/agent.json',
    'https://169.254.169.254/latest/meta-data', 'https://[::1]/agent.json', 'https://0x7f000001.example/agent.json',
  ]) {
    const { status, problem } = await visit(provider, url)
    t.match({ status, ...problem }, {
      status: 400,
      error: 'invalid_client',
      error_description: UNREADABLE,
    }, url)
  }
  t.strictSame(asked, [])
})

t.test('trusted and the like in a document mean nothing', async t => {
  const provider = await start(t)
  const { asked, origin } = await startDocuments(t, {
    '/agent.json': {
      trusted: true,
      registration: null,
      pkceOptional: true,
      resources: [ORDERS],
      scope: 'orders:read',
      require_auth_time: false,
      default_acr_values: ['aal1'],
      backchannel_logout_uri: '/agent.json?logout',
      jwks_uri: '/agent.json?keys',
      logo_uri: '/agent.json?logo',
      sector_identifier_uri: '/agent.json?sector',
    },
  })
  const { location } = await visit(provider, `${origin}/agent.json`)
  t.match(location.pathname, '/oidc/interaction/')
  const refused = await visit(provider, `${origin}/agent.json`, { scope: 'openid orders:read', resource: ORDERS })
  t.equal(refused.problem?.error, 'invalid_target')
  await allow(provider, await relyingPartyOf(provider, { client_id: `${origin}/agent.json` }), provider.browser)
  const { rows } = await provider.owner.query('SELECT * FROM applications')
  t.match(rows, [{
    trusted: false, pkce_optional: false, resources: [], serves: null, backchannel_logout_url: null, keys: [],
  }])
  t.strictSame(asked, ['/agent.json'])
})

t.test('a document that cannot be read is not asked for again for a minute, nor twice at once', async t => {
  const provider = await start(t)
  const { asked, origin } = await startDocuments(t, {
    '/slow.json': (_request, response) => setTimeout(() => response.writeHead(500).end(), 300),
  })
  const visits = await Promise.all([...Array(5)].map(() => visit(provider, `${origin}/slow.json`)))
  for (const { status, problem } of visits) t.match({ status, ...problem }, { status: 400, error: 'invalid_client' })
  await visit(provider, `${origin}/slow.json`)
  t.equal(asked.length, 1)
})

t.test('an hour later: read again; gone or changed, it counts at once; in an outage, the last one counts', async t => {
  const provider = await start(t)
  const { owner } = provider
  let state: 'first' | 'other' | 'outage' | 'gone' = 'first'
  const { asked, origin } = await startDocuments(t, {
    '/agent.json': (_request, response, url) => {
      if (state === 'outage' || state === 'gone') return response.writeHead(state === 'gone' ? 404 : 503).end()
      const uri = state === 'first' ? REDIRECT : 'https://agent.example.net/other'
      return response.end(JSON.stringify({ client_id: url, client_name: state, redirect_uris: [uri] }))
    },
  })
  const url = `${origin}/agent.json`
  const later = (age: string) => owner.query('UPDATE applications SET fetched_at = now() - $1::interval', [age])
  const outcome = async () => {
    const { status, problem } = await visit(provider, url)
    return problem?.error ?? status
  }
  await allow(provider, await relyingPartyOf(provider, { client_id: url }), provider.browser)
  t.equal(await outcome(), 303)
  state = 'outage'
  await later('59 minutes')
  t.equal(await outcome(), 303)
  t.equal(asked.length, 1)
  await later('61 minutes')
  t.equal(await outcome(), 303, 'in an outage')
  t.equal(asked.length, 2)
  await later('25 hours')
  t.equal(await outcome(), 'invalid_client', 'not for longer than a day')

  const other = await startProvider(t, {
    OPENID_REGISTRATION: 'documents',
    OPENID_DOCUMENTS_PRIVATE: 'allow',
    DATABASE_URL: provider.app.config.DATABASE_URL as string,
  })
  const elsewhere = { ...other, browser: provider.browser }
  state = 'other'
  const application = await relyingPartyOf(other, { client_id: url })
  const browser = other.browse()
  await browser.signIn(provider.user.username)
  const changed = await askForConsent(elsewhere, application, browser)
  t.match(changed.begun.json(), { error: 'invalid_redirect_uri' }, 'the redirect URI is not in it any more')
  t.match((await owner.query('SELECT name FROM applications')).rows, [{ name: 'other' }])
  state = 'gone'
  await later('2 hours')
  t.match((await askForConsent(elsewhere, application, browser)).begun.json(), { error: 'invalid_client' })
})

t.test('reads are counted for each address, and in total; the last one is 429', async t => {
  const documents = Object.fromEntries([...Array(12)].map((_, index) => [`/${index}.json`, {}]))
  const { asked, origin } = await startDocuments(t, documents)
  const provider = await start(t, { LIMIT_GENERAL_MAX: '10' })
  const outcomes: number[] = []
  for (let index = 0; index < 12; index++) outcomes.push((await visit(provider, `${origin}/${index}.json`)).status)
  t.strictSame(outcomes, [...Array(10).fill(303), 429, 429])
  t.equal(asked.length, 10)
  t.equal((await visit(provider, `${origin}/0.json`)).status, 303, 'those that are known go on')

  // For a person, both are pages.
  const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const open = (path: string) => provider.browser.send('GET',
    `/oidc/auth?${new URLSearchParams({ client_id: origin + path, response_type: 'code' })}`, undefined, navigation)
  const page = await open('/11.json')
  t.match(page, { statusCode: 429, headers: { 'content-type': /text\/html/, 'retry-after': /^\d+$/ } })
  const unknown = await open('/')
  t.match(unknown, { statusCode: 400, headers: { 'content-type': /text\/html/ } })
  t.match(unknown.body, 'This application is not known here')
})
