import fc from 'fast-check'
import t from 'tap'
import { operationsOf, type OpenApi } from '../../src/site/openapi.ts'
import { hostileString } from '../support/attacks/hostile-strings.ts'
import { createUser } from '../support/browser.ts'
import { API, SESSION, setUpOperator } from '../support/operator-session.ts'

const { api, browser, log, operator, operatorRoutes, owner, signIn } = await setUpOperator(t)
const UUID = '00000000-0000-4000-8000-000000000000'
const isChange = (route: string) => route.includes('/api/v1/') && !route.startsWith('GET ')
/** Routes that begin a session have none yet. */
const needsSession = (route: string) => isChange(route) && !/\/session(\/passkey.*|\/second-factor)?$/.test(route)

t.test('CSRF: every change with the cookie alone, or from another site, is refused (403)', async t => {
  await signIn()
  const { csrfToken } = (await browser.get(SESSION)).json()
  const victim = await createUser(owner)
  const before = await owner.query('SELECT * FROM users ORDER BY id')
  const changes = operatorRoutes.filter(isChange)
  t.ok(changes.length > 20)
  for (const route of changes) {
    const [method, path = ''] = route.split(' ') as ['POST', string]
    const url = path.replace('/users/:id', `/users/${victim.id}`).replace(/:\w+/g, UUID)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'x-csrf-token': csrfToken }
    const crossSite = await browser.send(method, url, {}, foreign)
    t.match(crossSite, { statusCode: 403, body: /Only pages of/ }, `${route} from another site`)
    if (!needsSession(route)) continue
    const answer = await browser.send(method, url, path.endsWith('/confirm') ? { code: '123456' } : undefined)
    t.match(answer, { statusCode: 403, body: /X-CSRF-Token/ }, `${route} without the token`)
  }
  t.strictSame((await owner.query('SELECT * FROM users ORDER BY id')).rows, before.rows)
  t.equal((await browser.get(SESSION)).statusCode, 200, 'the session goes on')
})

t.test('fresh proof: every change but sign-out and the proof itself needs one (403)', async t => {
  await signIn()
  await owner.query("UPDATE operator_sessions SET proved_at = now() - interval '11 minutes'")
  const { csrfToken } = (await browser.get(SESSION)).json()
  const changes = operatorRoutes.filter(route => isChange(route) && !route.includes('/session'))
  t.ok(changes.length > 15)
  for (const route of changes) {
    const [method, path = ''] = route.split(' ') as ['POST', string]
    const url = path.replace(/:\w+/g, '1')
    const answer = await browser.send(method, url, undefined, { 'x-csrf-token': csrfToken })
    t.match(answer, { statusCode: 403, body: /Confirm it is you/ }, route)
  }
})

t.test('filters, cursors and ids of every route as injection: never an error of ours (5xx)', async t => {
  for (let count = 0; count < 5; count++) await createUser(owner)
  const countUsers = async () => (await owner.query('SELECT FROM users')).rowCount as number
  const before = await countUsers()
  const document = (await operator.inject(`${API}/openapi.json`)).json<OpenApi>()
  const places = operationsOf(document).filter(({ path }) => !path.includes('/session')).flatMap(operation => {
    const given = (operation.parameters ?? []).filter(({ in: where }) => where !== 'header')
    return given.map(parameter => ({ operation, parameter }))
  })
  t.ok(places.length > 20)
  const cursor = fc.tuple(hostileString, hostileString)
    .map(parts => Buffer.from(JSON.stringify(parts)).toString('base64url'))
  for (const { operation: { method, path }, parameter: { in: where, name } } of places) {
    const values = fc.sample(name === 'cursor' ? fc.oneof(cursor, hostileString) : hostileString, 30)
    for (const value of ["1' OR '1'='1", '1; DROP TABLE users', '9'.repeat(19), ...values]) {
      const encoded = encodeURIComponent(value.toWellFormed())
      const query = where === 'query' ? `?${name}=${encoded}` : ''
      const url = path.replace(/\{(\w+)\}/g, (_, part) => where === 'path' && part === name ? encoded : UUID)
      const { statusCode } = await api(method as 'GET', url.replace(API, '') + query)
      if (statusCode >= 500) t.fail(`${method} ${path} ${name}=${JSON.stringify(value)}: ${statusCode}`)
    }
  }
  t.strictSame(log.errors, [])
  // A value may be the id of one of them by chance.
  t.ok(await countUsers() >= before - 1)
})

t.test('cursors and times of the right form with impossible values (400)', async t => {
  const cursorOf = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const eventsAfter = (key: string) => `/events?cursor=${cursorOf(key, '1')}`
  for (const path of [
    `/users?q=u&cursor=${cursorOf('a\u0000b', '1')}`,
    eventsAfter('2026-02-30 09:00:00+00'), eventsAfter('9999-99-99 99:99:99+00'), eventsAfter('0000-01-01 00:00:00+00'),
    '/events?since=0000-01-01T00:00:00Z', '/events?since=2026-02-30T00:00:00Z',
    '/events?until=9999-12-31T23:59:59-23:00',
  ]) t.equal((await api('GET', path)).statusCode, 400, path)
  for (const path of [
    '/events?since=2026-01-31T00:00:00%2B23:00', '/events?until=0001-01-01T00:00:00Z',
    eventsAfter('2026-01-31 09:00:00.123456+00'), `/users?sort=username&cursor=${cursorOf('\ud800', '1')}`,
  ]) t.equal((await api('GET', path)).statusCode, 200, path)
  t.strictSame(log.errors, [])
})
