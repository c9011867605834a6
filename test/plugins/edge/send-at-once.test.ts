import t from 'tap'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { scrape } from '../../support/scrape.ts'

const VERIFY = '/api/auth/verify'

const { app, log, owner } = await build(t, {
  before: app => app.register(async app => {
    app.get('/broken', (_request, reply) => reply.sendAtOnce(204, ['x-broken', 'a\nb']))
  }),
})

t.test('sendAtOnce: a header that cannot be sent (500)', async t => {
  const answer = await app.inject('/broken')
  t.equal(answer.statusCode, 500)
  t.match(answer.headers, app.securityHeaders)
  t.match(log.errors, [{ msg: 'request failed', err: { code: 'ERR_INVALID_CHAR' } }])
})

t.test('sendAtOnce: in the log and in the metrics', async t => {
  const { app, log } = await build(t, { settings: { LOG_LEVEL: 'debug', METRICS_PORT: '0' } })
  const url = await app.metrics.listen() as string
  await eventually(() => app.inject('/health'), ({ statusCode }) => statusCode === 200, 10_000)
  const { lines } = log
  const healthy = lines.filter(({ path, status }) => path === '/health' && status === 200)
  t.match(healthy, [{ level: 'debug', msg: 'request', method: 'GET', ms: Number, ip: '127.0.0.1' }])
  const figures = await scrape(url)
  t.equal(figures.get('gatehouse_request_duration_seconds_count{route="/health",method="GET",status="200"}'), 1)
})

// Last, because the service stays in its shutdown.
t.test('GET /api/auth/verify and /health: security headers, `connection: close` during shutdown', async t => {
  const browser = createBrowser(app)
  const { id, username } = await createUser(owner)
  await browser.signIn(username)
  await eventually(() => app.inject('/health'), ({ statusCode }) => statusCode === 200, 10_000)

  for (const connection of ['keep-alive', 'close']) {
    if (connection === 'close') app.drain.begin()
    for (const method of ['GET', 'HEAD'] as const) {
      const verified = await browser.send(method, VERIFY)
      t.match(verified, { statusCode: 204, body: '' })
      t.match(verified.headers, { ...app.securityHeaders, connection })
      t.match(verified.headers, { 'x-auth-user-id': id, 'x-auth-username': username })

      const health = await app.inject({ method, url: '/health' })
      t.match(health.headers, { ...app.securityHeaders, connection })
      t.match(health.headers, { 'content-type': 'application/json; charset=utf-8', 'content-length': /^\d+$/ })
      t.equal(health.statusCode, 200)
      if (method === 'GET') t.equal(health.headers['content-length'], String(health.body.length))
    }
  }
})
