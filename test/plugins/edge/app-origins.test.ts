import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build } from '../../support/build.ts'
import { buildOperatorApp } from '../../../src/operator-app.ts'
import { APP, TWO_HOSTS } from '../../support/two-hosts.ts'

const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-csrf-token' }
const READABLE = {
  'access-control-allow-origin': APP,
  'access-control-allow-credentials': 'true',
  vary: /origin/i,
  'cross-origin-resource-policy': 'same-site',
  'content-security-policy': /default-src 'self'/,
}

t.test('CORS: an app can read every response, errors too', async t => {
  const { app, owner } = await build(t, { settings: { ...NO_LIMITS, ...TWO_HOSTS, LIMIT_LOGIN_MAX: '2' } })
  const browser = createBrowser(app)
  const { username } = await createUser(owner)
  const send = (method: 'GET' | 'POST' | 'OPTIONS', url: string, payload?: object, headers = {}) =>
    browser.send(method, url, payload, { origin: APP, 'sec-fetch-site': 'same-site', ...headers })
  const wrong = { username, password: 'wrong' }
  const CASES = [
    [200, await send('GET', '/gatehouse/client.js')],
    [200, await send('GET', '/login')],
    [200, await send('GET', '/api/auth/session')],
    [401, await send('GET', '/api/auth/me')],
    [404, await send('GET', '/nowhere')],
    [405, await send('GET', '/api/auth/refresh')],
    [400, await send('POST', '/login', { username })],
    [401, await send('POST', '/login', wrong)],
    [429, await send('POST', '/login', wrong).then(() => send('POST', '/login', wrong))],
  ] as const
  for (const [status, { statusCode, headers }] of CASES) {
    t.equal(statusCode, status)
    t.match(headers, READABLE, `${status}`)
  }
  t.equal(CASES.at(-1)?.[1].headers['access-control-expose-headers'], 'retry-after')

  const preflight = await send('OPTIONS', '/api/sensitive', undefined, PREFLIGHT)
  t.equal(preflight.statusCode, 204)
  t.match(preflight.headers, {
    ...READABLE,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'content-type, x-csrf-token',
    'access-control-max-age': '600',
  })
})

t.test('CORS: a cache never mixes the responses for an app and for others', async t => {
  const { app } = await build(t, { settings: TWO_HOSTS })
  for (const url of ['/gatehouse/client.js', '/login', '/api/auth/session', '/nowhere']) {
    const { headers } = await app.inject(url)
    t.match(headers.vary, /\borigin\b/i, url)
    t.notOk('access-control-allow-origin' in headers)
  }
  t.equal((await app.inject({ method: 'OPTIONS', url: '/login' })).statusCode, 405, 'no preflight request')
  t.equal((await app.inject({ method: 'OPTIONS', url: '/nowhere' })).statusCode, 404)
})

t.test('CORS: unsafe requests of an app pass, those of its siblings do not', async t => {
  const { app, owner } = await build(t, { settings: { ...NO_LIMITS, ...TWO_HOSTS } })
  const browser = createBrowser(app)
  const login = { username: (await createUser(owner)).username, password: 'tr0mbone-Under-glass!' }
  const from = (origin: string, site = 'same-site') => ({ origin, 'sec-fetch-site': site })
  t.equal((await browser.send('POST', '/login', login, from('https://shop.example.com'))).statusCode, 403)
  t.equal((await browser.send('POST', '/login', login, from(APP, 'cross-site'))).statusCode, 403)
  t.equal((await browser.send('POST', '/login', login, from(APP))).statusCode, 200)
  const { csrfToken } = (await browser.send('GET', '/api/csrf-token', undefined, from(APP))).json()
  t.equal((await browser.send('POST', '/api/sensitive', undefined, from(APP))).statusCode, 403, 'without CSRF token')
  const headers = { ...from(APP), 'x-csrf-token': csrfToken }
  t.equal((await browser.send('POST', '/api/sensitive', undefined, headers)).statusCode, 200)
})

t.test('CORS: never at the listener for operators', async t => {
  const { app } = await build(t, { settings: TWO_HOSTS })
  const operator = buildOperatorApp(app)
  t.teardown(() => operator.close())
  const headers = { origin: APP, ...PREFLIGHT }
  for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
    const answer = await operator.inject({ method, url: '/operator/api/v1/session', headers })
    t.notOk(answer.statusCode < 300, method)
    t.strictSame(Object.keys(answer.headers).filter(name => name.startsWith('access-control-')), [])
  }
  t.equal((await operator.inject({ method: 'POST', url: '/operator/api/v1/session', headers })).statusCode, 403)
})
