import t from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build } from '../support/build.ts'

const FORGED = '{"level":"info","event":"sign_in","userId":"1","msg":"event"}'
const BREAKS = ['\n', '\r\n', '\u2028', '\u0085', '\u001b[2K\r', '"}\n', '%0a', '%0d%0a', '\\n']

t.test('log injection: every entry stays one valid line', async t => {
  const { app, log, owner } = await build(t, { settings: { ...NO_LIMITS, LOG_LEVEL: 'debug' } })
  await createUser(owner)
  for (const text of BREAKS.map(each => `x${each}${FORGED}`)) {
    await app.inject({ url: `/${encodeURIComponent(text)}` })
    await app.inject({ url: `/api/auth/provider-a/callback?error=${encodeURIComponent(text)}` })
    await app.inject({ method: 'POST', url: '/login', payload: { username: text, password: text } })
    await app.inject({
      url: '/health',
      headers: {
        'user-agent': encodeURI(text),
        'x-request-id': encodeURI(text),
        'request-id': encodeURI(text),
        'x-forwarded-for': encodeURI(text),
      },
    })
  }
  t.notMatch(log.text.replaceAll('\n', ''), /[\p{Cc}\u2028\u2029]/u, 'no control characters')
  t.notOk(
    log.lines.some(({ event }) => event === 'sign_in'),
    'each line is a JSON entry of the service'
  )
})

t.test('refused requests are logged with time, route and request id (401, 403, 405, 429)', async t => {
  const { app, log, owner } = await build(t, { settings: { LIMIT_LOGIN_MAX: '1' } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await createBrowser(app).get('/api/auth/sessions')
  await browser.post('/api/sensitive')
  await browser.send('POST', '/logout', undefined, { origin: 'https://evil.example' })
  await browser.send('PUT', '/login')
  const guesser = createBrowser(app)
  for (let guess = 0; guess < 2; guess++) await guesser.signIn(user.username, 'wr0ng-Guess-in-the-dark!')

  const requests = log.lines.filter(({ msg }) => msg === 'request')
  for (const [status, path] of [
    [401, '/api/auth/sessions'],
    [403, '/api/sensitive'],
    [403, '/logout'],
    [405, '/login'],
    [401, '/login'],
    [429, '/login'],
  ]) {
    const line = requests.find(each => each.status === status && each.path === path)
    t.match(line, { time: String, ip: /^10\.1\./, reqId: String, method: String }, `${status} ${path}`)
  }
  t.match(
    log.lines.filter(({ event }) => event),
    [
      { event: 'sign_in', userId: user.id, ip: browser.address, reqId: String },
      { event: 'sign_in_failed', userId: user.id, ip: guesser.address },
    ]
  )
  t.ok(
    log.lines.every(({ time }) => time.endsWith('Z') && Math.abs(Date.now() - Date.parse(time)) < 600_000),
    'times are in ISO 8601, UTC'
  )
})
