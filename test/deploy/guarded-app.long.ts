import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { createUser } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { eventually } from '../support/patience.ts'
import { startApp } from '../support/deploy/apps.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, PUBLIC_URL, startInstances } from '../support/deploy/instances.ts'
import { createVisitor } from '../support/deploy/web-client.ts'

const skip = withoutNginx || withoutRedis
const HSTS = ['max-age=31536000; includeSubDomains']
const PAGE = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' }
const SCRIPT = { accept: 'application/json', 'sec-fetch-mode': 'cors' }

/** Returns the request it got, and sets a header that nginx must not pass on. */
const echo: RequestListener = ({ method, url, headers }, answer) => {
  answer
    .writeHead(url === '/own-401' ? 401 : 200, { 'strict-transport-security': 'max-age=0' })
    .end(JSON.stringify({ method, url, headers }))
}

t.test('an app behind auth_request', { skip }, async t => {
  const { owner, settings } = await productionSettings(t)
  const { ports } = await startInstances(t, settings)
  const frontEnd = await startFrontEnd(t, { instances: ports, app: await startApp(t, echo) })
  const user = await createUser(owner, { username: 'guest' })
  const stranger = createVisitor(frontEnd, { address: '127.0.0.70' })
  const guest = createVisitor(frontEnd, { address: '127.0.0.71' })
  t.teardown(stranger.leave)
  t.teardown(guest.leave)
  t.equal((await guest.post('/login', { username: user.username, password: user.password })).status, 200)

  t.test('signed out, a page: to the sign-in page, with the way back (302)', async t => {
    const answer = await stranger.get('/app/report?year=2026&of=a%20b#x', PAGE)
    t.equal(answer.status, 302)
    t.strictSame(answer.all('strict-transport-security'), HSTS)
    const { pathname, searchParams } = new URL(answer.headers.location ?? '', 'https://localhost')
    t.equal(pathname, '/login')
    t.equal(searchParams.get('next'), '/app/report?year=2026&of=a%20b#x')
    t.equal((await stranger.get(answer.headers.location ?? '', PAGE)).status, 200, 'the page exists')
    t.equal(
      (await stranger.get('/app/', { accept: 'text/html' })).status,
      302,
      'also without Sec-Fetch headers'
    )
  })

  t.test('signed out, a script (401)', async t => {
    for (const [method, headers] of [
      ['GET', SCRIPT],
      ['GET', { accept: '*/*' }],
      ['GET', { accept: 'text/html', 'sec-fetch-mode': 'cors' }],
      ['POST', { ...PAGE, 'content-type': 'application/json' }],
    ] as const) {
      const answer = await stranger.send(method, '/app/data', { headers, body: method === 'POST' ? '{}' : undefined })
      t.equal(answer.status, 401)
      t.strictSame(JSON.parse(answer.body), { error: 'Unauthorized', message: 'Sign in to continue.' })
      t.strictSame(answer.all('strict-transport-security'), HSTS)
    }
  })

  t.test('signed in: the app gets the user from Gatehouse, forged headers are dropped (200)', async t => {
    const forged = {
      'x-auth-user-id': '1',
      'x-auth-username': 'root',
      'x-auth-token': 'root',
      'x-auth-claims': 'root',
      x_auth_user_id: '1',
      x_auth_username: 'root',
      'x-auth_user-id': '1',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-uri': '/x',
      'x-forwarded-method': 'PUT',
      'x-forwarded-port': '1',
      'x-forwarded-prefix': '/x',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9;host=evil.example',
    }
    const answer = await guest.get('/app/report?year=2026', forged)
    t.equal(answer.status, 200)
    t.strictSame(answer.all('strict-transport-security'), HSTS, 'the app cannot weaken it')
    const { url, headers } = JSON.parse(answer.body)
    t.equal(url, '/report?year=2026')
    t.match(headers, {
      'x-auth-user-id': user.id,
      'x-auth-username': 'guest',
      'x-auth-token': /^[\w-]+\.[\w-]+\.[\w-]+$/,
      'x-forwarded-for': '127.0.0.71',
      'x-real-ip': '127.0.0.71',
      'x-forwarded-host': 'localhost',
      'x-forwarded-proto': 'https',
    })
    for (const name of [
      'forwarded',
      'x_auth_user_id',
      'x_auth_username',
      'x-auth_user-id',
      'x-forwarded-uri',
      'x-forwarded-method',
      'x-forwarded-port',
      'x-forwarded-prefix',
    ]) { t.notOk(name in headers, name) }
    t.notMatch(answer.body, /evil|203\.0\.113|root/)
  })

  t.test('signed in: the app gets all cookies except refresh_token (200)', async t => {
    const { access_token: access, refresh_token: refresh } = Object.fromEntries(guest.cookies)
    const [a, r] = [`access_token=${access}`, `refresh_token=${refresh}`]
    for (const [sent, got] of [
      [`${r}; ${a}; theme=dark`, `${a}; theme=dark`],
      [`theme=dark; ${r}; ${a}`, `theme=dark; ${a}`],
      [`theme=dark; __Host-${r}; ${a}`, `theme=dark; ${a}`],
      [`theme=dark; ${a}; ${r}`, `theme=dark; ${a}`],
      [`theme=dark;${r};${a}`, `theme=dark; ${a}`],
      [`${a}; ${r}; ${r}; x=1; ${r}`, `${a}; x=1`],
      [`${a}; ${r}; ${r}; ${r}; ${r}; x=1`, undefined],
      [`${a}; ${r}; ${r}; ${r}; my_refresh_token=1; x=refresh_token=2`, `${a}; my_refresh_token=1; x=refresh_token=2`],
      [`${a}; theme=dark`, `${a}; theme=dark`],
      [`${a};  theme="a; b=c"`, `${a};  theme="a; b=c"`],
    ] as const) {
      const answer = await guest.get('/app/', { cookie: sent })
      t.equal(answer.status, 200)
      const { cookie } = JSON.parse(answer.body).headers
      // Spaces between cookies have no meaning.
      t.equal(cookie?.replace(/; +/g, '; '), got?.replace(/; +/g, '; '))
      t.notOk(answer.body.includes(refresh ?? ''))
    }
  })

  t.test('signed out, with forged identity headers (401)', async t => {
    t.equal(
      (await stranger.get('/app/', { ...SCRIPT, 'x-auth-user-id': '1', 'x-auth-username': 'root' })).status,
      401
    )
  })

  t.test('POST: the body reaches the app, and a 401 of the app reaches the client', async t => {
    t.match(JSON.parse((await guest.post('/app/form', { a: 1 })).body), { method: 'POST', url: '/form' })
    const own = await guest.get('/app/own-401', PAGE)
    t.equal(own.status, 401)
    t.match(own.body, '/own-401')
  })

  t.test('POST: a body larger than Gatehouse accepts reaches the app (200)', async t => {
    const body = { text: 'x'.repeat(20_000) }
    t.equal((await guest.post('/app/form', body)).status, 200)
    t.equal((await guest.post('/login', body)).status, 413)
    t.equal((await stranger.post('/app/form', body, SCRIPT)).status, 401)
  })

  t.test('signed out, a long address: to the sign-in page without the way back (302)', async t => {
    const answer = await stranger.get(`/app/report?${'x=%20&'.repeat(1_000)}`, PAGE)
    t.strictSame([answer.status, answer.headers.location], [302, '/login'])
    t.equal((await stranger.get(answer.headers.location ?? '', PAGE)).status, 200)
  })

  t.test('the internal location of the check (404)', async t => {
    t.equal((await guest.get('/_gatehouse/verify')).status, 404)
  })

  t.test('after POST /logout: signed out (302)', async t => {
    const leaving = createVisitor(frontEnd, { address: '127.0.0.72' })
    t.teardown(leaving.leave)
    await leaving.post('/login', { username: user.username, password: user.password })
    t.equal((await leaving.get('/app/', PAGE)).status, 200)
    t.equal((await leaving.post('/logout')).status, 204)
    t.equal((await leaving.get('/app/', PAGE)).status, 302)
  })
})

// With the OpenID provider, tokens are signed with another algorithm.
for (const OPENID of ['off', 'on']) {
  t.test(`the example app believes only a token that the public keys verify, OPENID=${OPENID}`, { skip }, async t => {
    const { owner, settings } = await productionSettings(t)
    const { instances, ports } = await startInstances(t, { ...settings, OPENID })
    const port = await freePort()
    const app = spawn(process.execPath, [join(import.meta.dirname, '../../deploy/example-app/server.js')], {
      env: {
        HOST: '127.0.0.1',
        PORT: String(port),
        ISSUER: PUBLIC_URL,
        KEYS_URL: `http://127.0.0.1:${ports[0]}/.well-known/jwks.json`,
      },
      stdio: 'ignore',
    })
    const ended = once(app, 'exit')
    t.teardown(() => app.kill('SIGKILL'))
    const ask = async (headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}/`, { headers }).then(({ status }) => status, () => undefined)

    t.equal(await eventually(ask, Boolean), 401, 'without a token')
    t.equal(await ask({ 'x-auth-user-id': '1', 'x-auth-username': 'root' }), 401)
    t.equal(await ask({ 'x-auth-token': 'forged' }), 401)

    const frontEnd = await startFrontEnd(t, { instances: ports, app: port })
    const user = await createUser(owner, { username: 'guest' })
    const guest = createVisitor(frontEnd, { address: '127.0.0.73' })
    t.teardown(guest.leave)
    await guest.post('/login', { username: user.username, password: user.password })
    const answer = await guest.get('/app/', { 'x-auth-token': 'forged' })
    t.strictSame([answer.status, answer.body], [200, `Hello guest, you are user ${user.id}.\n`])

    await Promise.all(instances.map(({ stop }) => stop('SIGKILL')))
    app.kill('SIGTERM')
    t.strictSame(await ended, [0, null])
  })
}

t.test('the example app: public keys that cannot be fetched (503)', async t => {
  const port = await freePort()
  const app = spawn(process.execPath, [join(import.meta.dirname, '../../deploy/example-app/server.js')], {
    env: { HOST: '127.0.0.1', PORT: String(port), ISSUER: 'http://127.0.0.1:1' },
    stdio: 'ignore',
  })
  t.teardown(() => app.kill('SIGKILL'))
  const { privateKey } = await generateKeyPair('EdDSA')
  const token = await new SignJWT().setProtectedHeader({ alg: 'EdDSA', kid: 'x' }).sign(privateKey)
  const ask = () => fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-auth-token': token } }).catch(() => undefined)
  t.equal((await eventually(ask, Boolean))?.status, 503)
})
