import t from 'tap'
import { SCOPES, type Scope } from '../../src/operators/scopes.ts'
import { buildSharedOperator } from '../support/operator.ts'

const USERS = '/operator/api/v1/users'

t.test('a key is needed: missing, malformed, unknown or ended (401)', async t => {
  const { app, operator, owner, addKey } = await buildSharedOperator(t)
  const ended = await addKey('ended')
  t.equal(await app.apiKeys.end('ended'), true)
  t.equal(await app.apiKeys.end('ended'), false)
  const unknown = `gh_${'A'.repeat(43)}`
  for (const authorization of [undefined, '', 'Bearer', `Basic ${ended}`, `Bearer ${ended}`, `Bearer ${unknown}`]) {
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await operator.inject({ url: USERS, headers, remoteAddress: '198.51.100.1' })
    t.match(answer, { statusCode: 401, headers: { 'www-authenticate': 'Bearer' } }, authorization ?? 'none')
    t.match(answer.json(), { error: 'Unauthorized', message: /Authorization: Bearer gh_/ })
  }
  const { rows } = await owner.query('SELECT digest, scopes::text FROM api_keys')
  t.notMatch(JSON.stringify(rows), ended.slice(3), 'only the hash is stored')
})

t.test('a key that waits to be confirmed after a restore: refused, and the reason is logged (401)', async t => {
  const { operator, owner, addKey, log } = await buildSharedOperator(t)
  const headers = { authorization: `Bearer ${await addKey('restored')}` }
  t.equal((await operator.inject({ url: USERS, headers })).statusCode, 200)
  await owner.query("UPDATE api_keys SET ended_at = now(), suspended_at = now() WHERE name = 'restored'")
  const answer = await operator.inject({ url: USERS, headers, remoteAddress: '198.51.100.2' })
  t.match(answer, { statusCode: 401 })
  t.match(answer.json(), { message: /Authorization: Bearer gh_/ })
  t.match(log.text, /"key":"restored".*waits to be confirmed after a restore: gatehouse restored confirm/)
})

t.test('a key without the scope (403)', async t => {
  const { operator, addKey } = await buildSharedOperator(t)
  const headers = { authorization: `Bearer ${await addKey('events', ['events:read'])}` }
  const answer = await operator.inject({ url: USERS, headers })
  t.match(answer, { statusCode: 403 })
  t.equal(answer.json().message, 'This key does not have the scope users:read.')
})

t.test('the log has each request with the name of the key, and never the key', async t => {
  const { api, log } = await buildSharedOperator(t)
  await api('GET', '/users/1')
  t.match(log.lines.find(({ path }) => path === `${USERS}/1`), { method: 'GET', status: 404, by: 'key test' })
})

t.test('many wrong keys (429), while a right one from the same address passes (200)', async t => {
  const { operator, api } = await buildSharedOperator(t)
  const guess = (number: number) => operator.inject({
    url: USERS,
    headers: { authorization: `Bearer gh_${String(number).padStart(43, '0')}` },
  })
  const statuses = []
  for (let number = 0; number < 25; number++) statuses.push((await guess(number)).statusCode)
  t.strictSame(statuses, [...Array(20).fill(401), ...Array(5).fill(429)])
  t.match(await guess(26), { statusCode: 429, headers: { 'retry-after': /^\d+$/ } })
  t.equal((await api('GET', '/users')).statusCode, 200)
})

t.test('the last use is written at most once a minute', async t => {
  const { owner, api } = await buildSharedOperator(t)
  const lastUse = async () => (await owner.query('SELECT last_used_at::text AS at, xmin FROM api_keys')).rows[0]
  t.equal((await lastUse()).at, null)
  await api('GET', '/users')
  const first = await lastUse()
  t.ok(first.at)
  await api('GET', '/users')
  t.strictSame(await lastUse(), first, 'the row was not written again')
  await owner.query("UPDATE api_keys SET last_used_at = now() - interval '2 minutes'")
  const before = await lastUse()
  await api('GET', '/users')
  t.ok((await lastUse()).at > before.at)
})

/** By the first part of the path, where the scope has another name. */
const AREAS: Record<string, string> = { 'signing-keys': 'keys' }

function scopeOf (method: string, path: string): Scope {
  const area = path.split('/')[4] as string
  return `${AREAS[area] ?? area}:${method === 'GET' ? 'read' : 'write'}` as Scope
}

t.test('every route: a key with all scopes but its own (403), none (401)', async t => {
  const { operator, operatorRoutes, addKey } = await buildSharedOperator(t)
  // No key can export an account: test/operator/roles.test.ts.
  const guarded = operatorRoutes
    .filter(route => /\/api\/v1\//.test(route) && !/openapi.json|\/session|\/export/.test(route))
  t.ok(guarded.length > 20)
  const keys = new Map<Scope, string>()
  for (const scope of SCOPES) keys.set(scope, await addKey(`not ${scope}`, SCOPES.filter(each => each !== scope)))
  for (const [number, route] of guarded.entries()) {
    const [method, path = ''] = route.split(' ') as ['GET', string]
    const scope = scopeOf(method, path)
    // From an address of its own: many wrong keys from one are refused otherwise.
    const request = { method, url: path.replace(/:\w+/g, '1'), remoteAddress: `192.0.2.${number}` }
    const answer = await operator.inject({ ...request, headers: { authorization: `Bearer ${keys.get(scope)}` } })
    t.match(answer, { statusCode: 403, body: new RegExp(`does not have the scope ${scope}`) }, route)
    t.equal((await operator.inject(request)).statusCode, 401, route)
  }
})
