import { generateKeyPairSync, randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { documentId } from '../../src/openid/client-documents.ts'
import { digest } from '../../src/secrets/digest.ts'
import { secrets } from '../support/build.ts'
import { ORDERS, RESOURCES, VAULT } from '../support/openid/resources.ts'
import { buildOperator } from '../support/operator.ts'

const WIKI = { kind: 'web', name: 'Wiki', redirectUris: ['https://wiki.example.com/callback'] }
const URL_OF_NONE = `/apps/${randomUUID()}`

const shared = await buildOperator(t, { settings: RESOURCES })

/** The service, whose log must not show the secrets of applications. What a test adds is deleted at its end. */
function setUp (t: Test) {
  t.teardown(() => shared.owner.query(`DELETE FROM applications; DELETE FROM auth_events; DELETE FROM idempotency_keys;
    DELETE FROM api_keys WHERE name <> 'test'`))
  async function add (payload: object = WIKI): Promise<{ id: string, secret: string }> {
    const { app, secret } = (await shared.api('POST', '/apps', payload)).json()
    if (secret) secrets.add(secret)
    return { id: app.clientId, secret }
  }
  return { ...shared, add }
}

t.test('apps: add, see, change, rotate and remove; the secret is shown once', async t => {
  const { app, api } = setUp(t)
  const added = await api('POST', '/apps', WIKI)
  t.equal(added.statusCode, 201)
  const { app: wiki, secret } = added.json()
  secrets.add(secret)
  t.match(secret, /^[\w-]{43}$/)
  t.strictSame(wiki, {
    clientId: wiki.clientId,
    ...WIKI,
    postLogoutUris: [],
    backchannelLogoutUrl: null,
    trusted: false,
    pkceOptional: false,
    resources: [],
    serves: null,
    registration: null,
    documentUrl: null,
    keys: [],
    dpopRequired: false,
    device: false,
    createdAt: wiki.createdAt,
    changedAt: wiki.changedAt,
    lastUsedAt: null,
    suspendedAt: null,
    users: 0,
  })
  const { clientId: id } = wiki
  const path = `/apps/${id}`
  t.match(await app.applications.find(id), { secrets: [digest(secret)] })

  const change = {
    name: 'Docs',
    redirectUris: ['https://docs.example.com/callback', 'https://docs.example.net/callback'],
    postLogoutUris: ['https://docs.example.com/'],
    backchannelLogoutUrl: 'https://docs.example.com/logout',
    trusted: true,
    pkceOptional: true,
  }
  const changed = await api('PATCH', path, change)
  t.match(changed, { statusCode: 200 })
  t.match(changed.json().app, { clientId: id, kind: 'web', ...change })
  const without = { backchannelLogoutUrl: null }
  t.match((await api('PATCH', path, without)).json().app, { ...change, ...without })

  const { secret: renewed } = (await api('POST', `${path}/rotate-secret`)).json()
  secrets.add(renewed)
  t.match(renewed, /^[\w-]{43}$/)
  t.not(renewed, secret)
  await app.applications.markUsed(id)
  const list = await api('GET', '/apps')
  t.match(list.json(), { apps: [{ clientId: id, name: 'Docs', lastUsedAt: /^\d{4}-.*Z$/ }] })
  t.notMatch(list.body + (await api('GET', path)).body, /secret/)
  t.equal((await api('DELETE', path)).statusCode, 204)
  t.strictSame((await api('GET', '/apps')).json(), { apps: [] })

  const { events } = (await api('GET', '/events')).json()
  t.match(events.toReversed(), [
    'application_added', 'application_changed', 'application_changed', 'application_secret_rotated',
    'application_removed',
  ].map(what => ({ what, by: 'key test', subject: id, userId: null })))
  t.equal(events.length, 5)
})

t.test('apps: a public application has no secret (201), and cannot get one (400)', async t => {
  const { api } = setUp(t)
  const { app, ...rest } = (await api('POST', '/apps', { ...WIKI, kind: 'public' })).json()
  t.strictSame(rest, {})
  t.match(await api('POST', `/apps/${app.clientId}/rotate-secret`), { statusCode: 400, body: /has no secret/ })
  t.equal((await api('POST', '/apps', { kind: 'machine', name: 'Nightly' })).statusCode, 201)
})

t.test('apps: what the rules refuse, and unknown fields (400), none of this id (404), no scope (403)', async t => {
  const { api, add, addKey, operator, owner } = setUp(t)
  const { id } = await add()
  const path = `/apps/${id}`
  for (const change of [
    { redirectUris: [] }, { redirectUris: ['http://wiki.example.com/'] },
    { redirectUris: ['https://wiki.example.com/#'] }, { redirectUris: ['https://*.example.com/'] },
    { redirectUris: ['com.example.app:/callback'] },
    { redirectUris: ['https://a.example/', 'javascript:alert(1)'] }, { redirectUris: ['data:text/html,x'] },
    { redirectUris: [`https://a.example/${'x'.repeat(2_000)}`] }, { redirectUris: 'https://a.example/' },
    { redirectUris: Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`) },
    { postLogoutUris: ['https://ada:secret@wiki.example.com/'] }, { backchannelLogoutUrl: 'https://127.0.0.1/' },
    { backchannelLogoutUrl: 'https://[::1]/' }, { backchannelLogoutUrl: 'javascript:alert(1)' },
    { backchannelLogoutUrl: '' }, { name: '' }, { name: 'a\nb' }, { name: 'x'.repeat(101) }, { trusted: 'yes' },
    { secret: 'mine' }, { clientId: randomUUID() }, { id: randomUUID() },
  ]) {
    t.equal((await api('POST', '/apps', { ...WIKI, ...change })).statusCode, 400, JSON.stringify(change))
    t.equal((await api('PATCH', path, change)).statusCode, 400, JSON.stringify(change))
  }
  t.match((await api('PATCH', path, { redirectUris: ['https://a.example/', 'myapp:/x'] })).json(),
    { message: /^myapp:\/x: use https:/ }, 'it says which')
  for (const kind of ['native', '', null]) {
    t.equal((await api('POST', '/apps', { ...WIKI, kind })).statusCode, 400, String(kind))
  }
  t.equal((await api('PATCH', path, { kind: 'public' })).statusCode, 400, 'the kind stays')
  t.equal((await api('PATCH', path, {})).statusCode, 400)
  t.equal((await api('POST', '/apps', { ...WIKI, kind: 'machine' })).statusCode, 400)
  t.equal((await api('POST', '/apps', { ...WIKI, kind: 'public', pkceOptional: true })).statusCode, 400)
  for (const [method, action] of [['GET', ''], ['DELETE', ''], ['POST', '/rotate-secret']] as const) {
    t.equal((await api(method, URL_OF_NONE + action)).statusCode, 404, `${method} ${action}`)
    t.equal((await api(method, `/apps/1' OR 1=1${action}`)).statusCode, 400, `${method} ${action}`)
  }
  t.equal((await api('PATCH', URL_OF_NONE, { name: 'x' })).statusCode, 404)

  const reader = { authorization: `Bearer ${await addKey('reader', ['apps:read'])}` }
  const url = `/operator/api/v1${path}`
  t.equal((await operator.inject({ url, headers: reader })).statusCode, 200)
  for (const [method, target, payload] of [
    ['POST', '/operator/api/v1/apps', WIKI], ['PATCH', url, { trusted: true }], ['DELETE', url, undefined],
    ['POST', `${url}/rotate-secret`, undefined],
  ] as const) {
    t.match(await operator.inject({ method, url: target, headers: reader, payload }), { statusCode: 403 }, target)
  }
  const writer = { authorization: `Bearer ${await addKey('writer', ['apps:write', 'users:write'])}` }
  t.equal((await operator.inject({ url, headers: writer })).statusCode, 403)
  const { rows } = await owner.query('SELECT name, trusted FROM applications')
  t.strictSame(rows, [{ name: 'Wiki', trusted: false }])
})

t.test('apps: a request with an Idempotency-Key, whose response would be stored with the secret (400)', async t => {
  const { api, add, owner } = setUp(t)
  const { id } = await add()
  for (const [path, payload] of [['/apps', WIKI], [`/apps/${id}/rotate-secret`, undefined]] as const) {
    const answer = await api('POST', path, payload, { 'idempotency-key': 'once' })
    t.match(answer, { statusCode: 400, body: /no Idempotency-Key/ }, path)
  }
  t.equal((await owner.query('SELECT FROM applications')).rowCount, 1)
  t.equal((await owner.query('SELECT FROM idempotency_keys')).rowCount, 0)
})

t.test('apps: resources, keys and DPoP; a resource, a scope or a key that is none is refused (400)', async t => {
  const { api } = setUp(t)
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one' }
  const machine = { kind: 'machine', name: 'Nightly', resources: [`${ORDERS} orders:read`], keys: [key] }
  const added = await api('POST', '/apps', { ...machine, dpopRequired: true })
  t.equal(added.statusCode, 201)
  t.equal(added.json().secret, undefined)
  t.match(added.json().app, { ...machine, dpopRequired: true, serves: null })
  const path = `/apps/${added.json().app.clientId}`
  t.match((await api('POST', `${path}/rotate-secret`)).json(), { message: /has keys instead of a secret/ })
  t.match((await api('PATCH', path, { serves: VAULT, resources: [VAULT] })).json().app,
    { serves: VAULT, resources: [VAULT], keys: [key] })
  t.match((await api('PATCH', path, { serves: null, keys: [] })).json().app, { serves: null, keys: [] })
  const { secret } = (await api('POST', `${path}/rotate-secret`)).json()
  secrets.add(secret)
  t.ok(secret)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' })
  for (const [change, says] of [
    [{ resources: ['https://elsewhere.example'] }, /"https:\/\/elsewhere.example" is no resource/],
    [{ resources: [`${ORDERS} orders:delete`] }, /"orders:delete" is no scope of/],
    [{ resources: [ORDERS, `${ORDERS} orders:read`] }, /each resource once/],
    [{ serves: 'https://elsewhere.example' }, /is no resource/],
    [{ keys: [rsa] }, /less than 2048 bits/],
    [{ keys: [{ ...key, x: 'AAAA' }] }, /cannot be read/],
    [{ keys: [{ ...key, crv: 'P-384' }] }, /must be one of EC P-256/],
    [{ keys: [{ ...key, alg: 'RS256' }] }, /algorithm/],
    [{ keys: [{ ...key, use: 'enc' }] }, /signatures/],
    [{ keys: [{ ...key, d: 'AAAA' }] }, /./],
  ] as const) t.match((await api('PATCH', path, change)).json(), { message: says }, JSON.stringify(change))
  for (const [kind, settings, says] of [
    ['public', { keys: [key] }, /cannot keep a key secret/],
    ['web', { serves: ORDERS }, /Only a machine/],
  ] as const) {
    t.match((await api('POST', '/apps', { ...WIKI, kind, ...settings })).json(), { message: says })
  }
})

t.test('apps: those that registered themselves are marked, cannot be changed, and can be removed', async t => {
  const { api, app, owner } = setUp(t)
  const add = async (given: Record<string, unknown>) => {
    const row = { id: randomUUID(), name: 'Agent', kind: 'public', registration: 'dynamic', allowed_at: null, ...given }
    await owner.query(`
      INSERT INTO applications (id, name, kind, redirect_uris, registration, document_url, allowed_at)
      VALUES ($1, $2, $3, '{https://agent.example.net/}', $4, $5, $6)`,
    [row.id, row.name, row.kind, row.registration, 'document' in row ? row.document : null, row.allowed_at])
    return row.id
  }
  const url = 'https://agent.example.net/agent.json'
  const now = new Date()
  const byDocument = { id: documentId(url), registration: 'document', document: url, allowed_at: now }
  const ids = [await add({ allowed_at: now, kind: 'web' }), await add(byDocument)]
  const waiting = await add({ name: 'Waiting' })
  t.strictSame((await api('GET', '/apps')).json(), { apps: [] }, 'they have a list of their own')
  const { apps } = (await api('GET', '/apps/registered')).json()
  t.strictSame(apps.map(({ clientId }: { clientId: string }) => clientId).toSorted(), ids.toSorted(), 'not yet allowed')
  t.match(apps.find(({ clientId }: { clientId: string }) => clientId === documentId(url)),
    { registration: 'document', documentUrl: url, trusted: false })
  t.match((await api('GET', `/apps/${waiting}`)).json(), { app: { registration: 'dynamic', documentUrl: null } })
  for (const id of ids) {
    for (const [method, path, body] of [
      ['PATCH', `/apps/${id}`, { trusted: true }], ['PATCH', `/apps/${id}`, { resources: [ORDERS] }],
      ['POST', `/apps/${id}/rotate-secret`, undefined],
    ] as const) {
      const answer = await api(method, path, body)
      t.match({ status: answer.statusCode, ...answer.json() }, { status: 400, message: /registered itself/ })
    }
  }
  t.match(await app.manageApplications.find(url), { id: documentId(url) }, 'also by its client id')
  t.equal(await app.manageApplications.remove(url), true)
  t.equal((await api('DELETE', `/apps/${ids[0]}`)).statusCode, 204)
  t.strictSame((await api('GET', '/apps/registered')).json(), { apps: [], next: null })
})

t.test('apps: those that registered themselves come in pages, also of the same moment', async t => {
  const { api, owner } = setUp(t)
  await owner.query(`
    INSERT INTO applications (id, name, kind, redirect_uris, registration, allowed_at, created_at)
    SELECT gen_random_uuid(), 'Agent', 'public',
      array_fill('https://agent.example.net/' || repeat('x', 280), ARRAY[30]), 'dynamic', now(),
      '2026-01-31 09:00:00.123456Z'::timestamptz - (n / 10) * interval '1 microsecond'
    FROM generate_series(1, 1000) n`)
  const first = await api('GET', '/apps/registered')
  t.equal(first.json().apps.length, 50)
  t.ok(first.body.length < 1_000_000, `${first.body.length} bytes`)
  t.strictSame((await api('GET', '/apps')).json(), { apps: [] })
  const ids = new Set<string>()
  let cursor: string | null = ''
  let pages = 0
  for (; cursor !== null && pages < 20; pages++) {
    const page: { apps: Array<{ clientId: string }>, next: string | null } =
      (await api('GET', `/apps/registered?limit=100${cursor && `&cursor=${cursor}`}`)).json()
    for (const { clientId } of page.apps) ids.add(clientId)
    cursor = page.next
  }
  t.strictSame({ ids: ids.size, pages }, { ids: 1_000, pages: 10 })
  for (const wrong of ['x', Buffer.from('["2026-01-31 09:00:00+00","1"]').toString('base64url')]) {
    t.equal((await api('GET', `/apps/registered?cursor=${wrong}`)).statusCode, 400)
  }
})
