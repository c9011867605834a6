import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage, type RequestListener } from 'node:http'
import t from 'tap'
import { Unavailable } from '../../src/errors.ts'
import { createUser } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startApp, startWebSocketApp } from '../support/deploy/apps.ts'
import { startCaddy, withoutCaddy } from '../support/deploy/caddy.ts'
import { productionSettings, startInstances } from '../support/deploy/instances.ts'
import { answerOf, createVisitor } from '../support/deploy/web-client.ts'
import { openWebSocket } from '../support/deploy/web-socket.ts'

const HSTS = ['max-age=31536000; includeSubDomains']
const PAGE = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' }
const SCRIPT = { accept: 'application/json', 'sec-fetch-mode': 'cors' }
const WRONG = { username: 'nobody', password: 'wr0ng-Guess-in-the-dark!' }

const echo: RequestListener = ({ method, url, headers }, answer) => {
  answer.end(JSON.stringify({ method, url, headers }))
}

t.test('Caddy in front of two instances and an app', { skip: withoutCaddy || withoutRedis }, async t => {
  const { owner, settings } = await productionSettings(t)
  const { instances, ports } = await startInstances(t, settings)
  const caddy = await startCaddy(t, { instances: ports, app: await startApp(t, echo) })
  const user = await createUser(owner)
  const visitor = (address: string) => {
    const made = createVisitor(caddy, { address })
    t.teardown(made.leave)
    return made
  }
  const guest = visitor('127.0.0.1')
  const stranger = visitor('127.0.0.2')
  t.equal((await guest.post('/login', { username: user.username, password: user.password })).status, 200)

  t.test('plain HTTP: to the same path over TLS (308)', async t => {
    const [message] = await once(
      get({ host: '127.0.0.1', port: caddy.httpPort, path: '/login?a=b', headers: { host: 'localhost' } }), 'response'
    ) as [IncomingMessage]
    const answer = await answerOf(message)
    t.equal(answer.status, 308)
    t.match(answer.headers.location, /^https:\/\/localhost(:\d+)?\/login\?a=b$/)
  })

  t.test('signed out: a page is redirected (302), a script is not (401)', async t => {
    const page = await stranger.get('/app/report?year=2026', PAGE)
    t.equal(page.status, 302)
    const { pathname, searchParams } = new URL(page.headers.location ?? '', 'https://localhost')
    t.strictSame([pathname, searchParams.get('next')], ['/login', '/app/report?year=2026'])
    const script = await stranger.get('/app/', SCRIPT)
    t.equal(script.status, 401)
    t.strictSame(JSON.parse(script.body), { error: 'Unauthorized', message: 'Sign in to continue.' })
    for (const answer of [page, script]) t.strictSame(answer.all('strict-transport-security'), HSTS)
  })

  t.test('signed in: the app gets the user from Gatehouse, forged headers are dropped (200)', async t => {
    const forged = {
      'x-auth-user-id': '1',
      'x-auth-username': 'root',
      'x-auth-claims': 'root',
      'x-auth-anything': 'root',
      x_auth_user_id: '1',
      x_auth_username: 'root',
      'x-auth_user-id': '1',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-uri': '/evil',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9;host=evil.example',
    }
    const answer = await guest.get('/app/report?year=2026', forged)
    t.equal(answer.status, 200)
    const { url, headers } = JSON.parse(answer.body)
    t.equal(url, '/report?year=2026')
    t.match(headers, {
      'x-auth-user-id': user.id,
      'x-auth-username': user.username,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'localhost',
      'x-forwarded-proto': 'https',
    })
    t.notMatch(answer.body, /evil|203\.0\.113|root/)
    t.equal((await stranger.get('/app/', { ...SCRIPT, ...forged })).status, 401)
  })

  t.test('signed in: the app gets all cookies except refresh_token (200)', async t => {
    const { access_token: access, refresh_token: refresh } = Object.fromEntries(guest.cookies)
    const [a, r] = [`access_token=${access}`, `refresh_token=${refresh}`]
    for (const [sent, got] of [
      [`${r}; ${a}; theme=dark`, `${a}; theme=dark`],
      [`theme=dark; ${r}; ${a}`, `theme=dark; ${a}`],
      [`theme=dark; __Host-${r}; ${a}`, `theme=dark; ${a}`],
      [`theme=dark; ${a}; ${r}`, `theme=dark; ${a}`],
      [`${a}; ${r}; ${r}; x=1; ${r}; ${r}`, `${a}; x=1`],
      [`${a}; my_refresh_token=1; x=refresh_token=2`, `${a}; my_refresh_token=1; x=refresh_token=2`],
      [`${a}; theme=dark`, `${a}; theme=dark`],
    ] as const) {
      const answer = await guest.get('/app/', { cookie: sent })
      t.equal(answer.status, 200)
      t.equal(JSON.parse(answer.body).headers.cookie.replace(/; +/g, '; ').replace(/;$/, ''), got)
      t.notOk(answer.body.includes(refresh ?? ''))
    }
  })

  t.test('POST /login: with a forged X-Forwarded-For, the limit counts the real address', async t => {
    const statuses = []
    for (let guess = 1; guess <= 6; guess++) {
      const forged = { 'x-forwarded-for': `203.0.113.${guess}`, 'x-real-ip': `203.0.113.${guess}` }
      statuses.push((await visitor('127.0.0.20').post('/login', WRONG, forged)).status)
    }
    t.strictSame(statuses, [401, 401, 401, 401, 401, 429])
    t.equal((await visitor('127.0.0.21').post('/login', WRONG)).status, 401, 'another address has its own limit')
  })

  t.test('a body larger than Gatehouse accepts: to the app only', async t => {
    const body = { text: 'x'.repeat(20_000) }
    t.equal((await guest.post('/app/form', body)).status, 200)
    t.equal((await guest.post('/login', body)).status, 413)
  })

  t.test('a WebSocket behind the access check (101, 401)', async t => {
    const other = await startCaddy(t, { instances: ports, app: await startWebSocketApp(t) })
    const cookie = [...guest.cookies].map(pair => pair.join('=')).join('; ')
    const socket = await openWebSocket(t, other, '/app/live', { cookie })
    t.equal(socket.status, 101)
    t.match(JSON.parse(await socket.next()), { 'x-auth-user-id': user.id })
    socket.send('hello')
    t.equal(await socket.next(), 'hello')
    t.equal((await openWebSocket(t, other, '/app/live')).status, 401)
  })

  t.test('one instance hangs, then is killed: every request succeeds', async t => {
    const ask = async (path: string) => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => guest.get(path, SCRIPT)))
      t.strictSame(answers.map(({ status }) => status), Array(40).fill(200), path)
    }
    instances[0]?.signal('SIGSTOP')
    await ask('/app/')
    await instances[0]?.stop('SIGKILL')
    for (const path of ['/app/', '/health/live', '/api/auth/me']) await ask(path)
  })

  t.test('all instances are killed: JSON for programs, a page for people (503)', async t => {
    await instances[1]?.stop('SIGKILL')
    const cases = [['GET', '/'], ['POST', '/login'], ['GET', '/api/auth/me'], ['GET', '/app/'], ['POST', '/app/form']]
    await Promise.all(cases.map(async ([method = '', path = '']) => {
      const body = method === 'POST' ? {} : undefined
      const program = await guest.send(method, path, { body, headers: SCRIPT })
      t.match(program, { status: 503, headers: { 'retry-after': '2', 'content-type': 'application/json' } }, path)
      t.strictSame(JSON.parse(program.body), { error: 'Service Unavailable', message: new Unavailable().message })
      const page = await guest.send(method, path, { body, headers: PAGE })
      t.match(page, { status: 503, headers: { 'retry-after': '2', 'content-type': /^text\/html/ } }, path)
      t.match(page.body, '<h1>Temporarily unavailable</h1>')
      for (const answer of [program, page]) t.strictSame(answer.all('strict-transport-security'), HSTS)
    }))
  })
})

t.test('Caddy: an app on a host of its own, as documented', { skip: withoutCaddy || withoutRedis }, async t => {
  const { owner, settings } = await productionSettings(t)
  const { ports } = await startInstances(t, {
    ...settings, COOKIE_DOMAIN: 'example.com', APP_ORIGINS: 'https://app.example.com',
  })
  const [, appHost] = readFileSync('docs/deploy.md', 'utf8').match(/```\n(app\.example\.com \{[^`]*)```/) ?? []
  const caddy = await startCaddy(t, { instances: ports, app: await startApp(t, echo), appHost })
  const guest = createVisitor(caddy)
  t.teardown(guest.leave)
  const at = { ...PAGE, host: 'app.example.com', 'x-forwarded-host': 'evil.example' }
  const refused = await guest.get('/report?year=2026', at)
  t.equal(refused.status, 302)
  t.equal(
    refused.headers.location,
    `https://auth.example.com/login?next=${encodeURIComponent('https://app.example.com/report?year=2026')}`
  )

  const user = await createUser(owner)
  t.equal((await guest.post('/login', { username: user.username, password: user.password })).status, 200)
  const access = guest.cookies.get('access_token') ?? ''
  const answer = await guest.get('/report', { ...at, cookie: `access_token=${access}; theme=dark` })
  t.equal(answer.status, 200)
  t.match(JSON.parse(answer.body), { url: '/report', headers: { 'x-auth-user-id': user.id, host: 'app.example.com' } })
})
