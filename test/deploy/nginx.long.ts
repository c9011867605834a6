import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, constants } from 'node:http2'
import t from 'tap'
import { createUser } from '../support/browser.ts'
import { secrets, withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { startCaddy, withoutCaddy } from '../support/deploy/caddy.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { testAppAtRoot } from '../support/deploy/nginx/app-at-root.ts'
import { testAppHost } from '../support/deploy/nginx/app-host.ts'
import { testClaimsHeader } from '../support/deploy/nginx/claims-header.ts'
import { startDeployment } from '../support/deploy/nginx/deployment.ts'
import { testWebSockets } from '../support/deploy/nginx/web-sockets.ts'
import { answerOf, createVisitor, type Answer } from '../support/deploy/web-client.ts'
import { eventually } from '../support/patience.ts'

const skip = withoutNginx || withoutRedis
const OF_NGINX = 'max-age=31536000; includeSubDomains'
const OF_THE_SERVICE = `${OF_NGINX}; preload`
const WRONG = { username: 'nobody', password: 'wr0ng-Guess-in-the-dark!' }

async function plainGet (port: number, path: string, host = 'auth.example.com') {
  const [message] = (await once(
    get({ host: '127.0.0.1', port, path, headers: { host } }),
    'response'
  )) as [IncomingMessage]
  return answerOf(message)
}

t.test('nginx in front of two instances', { skip }, async t => {
  const deployment = await startDeployment(t)
  const { owner, smtp, frontEnd, auth, behind } = deployment
  const visitor = (address: string) => {
    const made = createVisitor(frontEnd, { address })
    t.teardown(made.leave)
    return made
  }

  t.test('plain HTTP: to the same path over TLS (301)', async t => {
    const { httpPort, httpsPort } = frontEnd
    const answer = await plainGet(httpPort, '/login?next=%2Fapp%2F&a=b', `auth.example.com:${httpPort}`)
    t.equal(answer.status, 301)
    t.equal(answer.headers.location, `https://auth.example.com:${httpsPort}/login?next=%2Fapp%2F&a=b`)
    t.strictSame(answer.all('strict-transport-security'), [OF_NGINX])
    t.notMatch(answer.headers.server, /\d/, 'the version is not disclosed')
  })

  t.test('the port of TLS: a request without TLS is redirected to the same port (301)', async t => {
    const host = `auth.example.com:${frontEnd.httpsPort}`
    const answer = await plainGet(frontEnd.httpsPort, '/login?a=b', host)
    t.strictSame([answer.status, answer.headers.location], [301, `https://${host}/login?a=b`])
    t.strictSame(answer.all('strict-transport-security'), [OF_NGINX])
  })

  t.test('HSTS: once on every response of the service and of nginx', async t => {
    const { get, post, send } = visitor('127.0.0.10')
    for (let guess = 0; guess < 5; guess++) await post('/login', WRONG)
    const cases: Array<[status: number, answer: Answer, expected: string]> = [
      [200, await get('/health'), OF_THE_SERVICE],
      [401, await get('/api/auth/me'), OF_THE_SERVICE],
      [404, await get('/nowhere'), OF_THE_SERVICE],
      [429, await post('/login', WRONG), OF_THE_SERVICE],
      [413, await post('/login', { username: 'x'.repeat(20_000), password: 'x' }), OF_NGINX],
      [400, await get('/health', { 'x-long': 'x'.repeat(9_000) }), OF_NGINX],
      [
        400,
        await send('GET', '/health', {
          headers: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`x-${index}`, 'x'.repeat(2_000)])),
        }),
        OF_NGINX,
      ],
    ]
    for (const [status, answer, expected] of cases) {
      t.equal(answer.status, status)
      t.strictSame(answer.all('strict-transport-security'), [expected], `${status}`)
    }
  })

  t.test('a body of 16 KiB reaches the service', async t => {
    const body = JSON.stringify({ username: 'x', password: '' })
    const padded = body.replace('""', `"${'x'.repeat(16 * 1024 - body.length)}"`)
    const answer = await visitor('127.0.0.11').send('POST', '/login', { body: padded })
    t.equal(answer.status, 400)
    t.match(JSON.parse(answer.body).message, 'body/password')
  })

  t.test('HTTP/2', async t => {
    const session = connect(`https://127.0.0.1:${frontEnd.httpsPort}`, {
      ca: frontEnd.certificate,
      servername: 'localhost',
    })
    t.teardown(() => session.destroy())
    const stream = session.request({ [constants.HTTP2_HEADER_PATH]: '/health/live' })
    const [headers] = await once(stream, 'response')
    t.match(headers, { ':status': 200, 'strict-transport-security': OF_THE_SERVICE })
  })

  t.test('POST /login: with a forged X-Forwarded-For, the limit counts the real address', async t => {
    const forger = visitor('127.0.0.20')
    const forged = (index: number) => ({
      'x-forwarded-for': `203.0.113.${index}`,
      'x-real-ip': `203.0.113.${index}`,
      forwarded: `for=203.0.113.${index}`,
      x_forwarded_for: `203.0.113.${index}`,
    })
    const statuses = []
    for (let guess = 1; guess <= 6; guess++) statuses.push((await forger.post('/login', WRONG, forged(guess))).status)
    t.strictSame(statuses, [401, 401, 401, 401, 401, 429])
    t.equal((await visitor('127.0.0.21').post('/login', WRONG)).status, 401, 'another address has its own limit')
    t.equal(
      (await visitor('127.0.0.22').post('/login', WRONG, { 'x-forwarded-for': '127.0.0.20' })).status,
      401,
      'the limit of another address is not used up'
    )
  })

  t.test('GET /api/auth/sessions: the real address of the client', async t => {
    const user = await createUser(owner)
    const person = visitor('127.0.0.30')
    t.equal(
      (
        await person.post(
          '/login',
          { username: user.username, password: user.password },
          { 'x-forwarded-for': '203.0.113.1' }
        )
      ).status,
      200
    )
    const { sessions } = JSON.parse((await person.get('/api/auth/sessions')).body)
    t.match(sessions, [{ ip: '127.0.0.30' }])
  })

  t.test('a forged Host: links in mails begin with PUBLIC_URL', async t => {
    const user = await createUser(owner)
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    }
    t.equal((await visitor('127.0.0.40').post('/reset-password', { email: user.email }, headers)).status, 202)
    const mail = await smtp.next()
    t.match(mail.text, `${auth}/reset-password`)
    t.notMatch(`${mail.text}${mail.html}`, 'evil.example')
  })

  t.test('the access log has no queries and no secrets', async t => {
    await visitor('127.0.0.50').get('/api/auth/provider-a/callback?code=c0de-of-a-provider&state=st4te', {
      referer: 'https://localhost/?code=c0de-of-a-provider',
    })
    // nginx writes the line after it has sent the response.
    const line = /^127\.0\.0\.50 \S+ GET \/api\/auth\/provider-a\/callback 302 [\d.]+s via 127\.0\.0\.1:\d+ 302$/m
    await eventually(() => frontEnd.log('access'), log => line.test(log))
    for (const secret of ['c0de-of-a-provider', 'st4te', ...secrets]) t.notOk(frontEnd.log('access').includes(secret))
  })
  t.test('WebSockets behind auth_request', t => testWebSockets(t, deployment))

  t.test('nginx: the app gets the claims of Gatehouse, never those of a client', t =>
    testClaimsHeader(t, deployment, frontEnd))

  t.test('Caddy: the app gets the claims of Gatehouse, never those of a client', { skip: withoutCaddy }, async t =>
    testClaimsHeader(t, deployment, await startCaddy(t, behind)))

  t.test('an app at / of the same host', t => testAppAtRoot(t, deployment))

  t.test('an app on a host of its own, in Chromium behind nginx', { skip: withoutChromium }, t =>
    testAppHost(t, deployment))
})
