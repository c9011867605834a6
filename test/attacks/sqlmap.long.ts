import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build, createDatabase } from '../support/build.ts'
import { request } from '../support/attacks/raw-connection.ts'
import { sqlmap, withoutSqlmap } from '../support/attacks/sqlmap.ts'
import { HANG_TIMEOUT } from '../support/patience.ts'

type Target = [line: string, parts?: { headers?: Record<string, string>, body?: object }]

async function setUp (t: Test) {
  const statuses: number[] = []
  const { app, owner, log } = await build(t, {
    settings: { ...NO_LIMITS, LOG_LEVEL: 'warn' },
    before: app => {
      app.addHook('onResponse', async (_request, reply) => {
        statuses.push(reply.statusCode)
      })
    },
  })
  const { username, email } = await createUser(owner)
  await owner.query("INSERT INTO content (slug, title, body, published_at) VALUES ('first', 'First', 'Words', now())")
  const browser = createBrowser(app)
  await browser.signIn(username)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const {
    sessions: [session],
  } = (await browser.get('/api/auth/sessions')).json()
  const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    app,
    owner,
    log,
    statuses,
    username,
    email,
    browser,
    session,
    signedIn: { Cookie, 'X-CSRF-Token': csrfToken },
    port: (app.server.address() as AddressInfo).port,
  }
}

/** A vulnerable version of `POST /login`. */
async function startCareless (t: Test) {
  const { owner } = await createDatabase(t)
  await createUser(owner, { username: 'ada' })
  const server = createServer(async (message, answer) => {
    const { username } = (await json(message)) as { username: string }
    const { rowCount } = await owner
      .query(`SELECT FROM users WHERE username = '${username}'`)
      .catch(() => ({ rowCount: 0 }))
    answer
      .writeHead(rowCount ? 200 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ found: Boolean(rowCount) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
  })
  return { port: (server.address() as AddressInfo).port }
}

const marksIn = (target: Target) => JSON.stringify(target).split('*').length - 1
const at = (port: number, [line, { headers, body } = {}]: Target) =>
  request(line, { headers: { Host: `127.0.0.1:${port}`, ...headers }, body })

t.setTimeout(HANG_TIMEOUT)
t.test('sqlmap: finds the injection in a vulnerable route', { skip: withoutSqlmap, timeout: HANG_TIMEOUT }, async t => {
  const { port } = await startCareless(t)
  const { injectable } = await sqlmap(t, at(port, ['POST /login', { body: { username: 'ada*', password: 'x*' } }]))
  t.strictSame(injectable, ['JSON #1* ((custom) POST)'])
})

t.test('sqlmap: no injection in any field, path or cookie', { skip: withoutSqlmap, timeout: HANG_TIMEOUT }, async t => {
  const { log, statuses, username, email, browser, session, signedIn, port } = await setUp(t)
  const token = 'x'.repeat(42)
  const TARGETS: Target[] = [
    ['POST /login', { body: { username: `${username}*`, password: `${PASSWORD}*` } }],
    [
      'POST /register',
      { body: { username: 'newcomer*', email: 'newcomer@example.com*', password: `${PASSWORD}*`, name: 'New*' } },
    ],
    ['POST /verify-email', { body: { token: `${token}*` } }],
    ['POST /verify-email/resend', { body: { email: `${email}*` } }],
    ['POST /reset-password', { body: { email: `${email}*` } }],
    ['POST /reset-password/confirm', { body: { token: `${token}*`, password: `${PASSWORD}*` } }],
    ['POST /api/auth/password', { headers: signedIn, body: { current: 'wrong*', password: `${PASSWORD}*` } }],
    ['POST /api/auth/password/check', { body: { password: 'short*', username: 'ada*', email: 'ada@example.com*' } }],
    ['DELETE /api/auth/me', { headers: signedIn, body: { password: 'wrong*' } }],
    ['GET /api/content/first*', { headers: signedIn }],
    [`DELETE /api/auth/sessions/${session.id.replace(/.$/, '0')}*`, { headers: signedIn }],
    ['GET /api/auth/provider-a/callback?code=x*&state=y*', { headers: { Cookie: 'provider_a_state=z*' } }],
    [
      'GET /api/auth/verify?signed-out=redirect*',
      { headers: { Cookie: `access_token=${browser.cookies.get('access_token')}*` } },
    ],
    [
      'GET /api/auth/sessions',
      { headers: { Cookie: `access_token=${browser.cookies.get('access_token')}*`, 'User-Agent': 'x*' } },
    ],
    [
      'POST /api/auth/refresh',
      {
        headers: {
          Cookie: `refresh_token=${browser.cookies.get('refresh_token')?.slice(0, -1)}*`,
          'User-Agent': 'x*',
        },
      },
    ],
    [
      'POST /login',
      {
        headers: { Cookie: 'device=x*', 'User-Agent': 'x*', 'X-Forwarded-For': '203.0.113.1*' },
        body: { username: 'nobody', password: 'x' },
      },
    ],
  ]
  let places = 0
  for (const target of TARGETS) {
    const { injectable, tried, said } = await sqlmap(t, at(port, target))
    t.strictSame(injectable, [], `${target[0]}: nothing to inject`)
    t.match(said, /all tested parameters do not appear to be injectable/, target[0])
    t.ok(tried.length >= marksIn(target), `${target[0]}: every parameter was tried: ${tried.join(', ')}`)
    places += tried.length
  }
  t.comment(`${statuses.length} requests, ${places} places`)
  t.notOk(
    statuses.some(status => status >= 500),
    'no response was a 500'
  )
  t.strictSame(log.errors, [], 'no error in the log')
})
