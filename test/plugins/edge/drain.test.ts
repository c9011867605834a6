import t from 'tap'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

const VERIFY = '/api/auth/verify'

const { app, owner } = await build(t)

t.test('GET /api/auth/verify and /health: security headers, `connection: close` during shutdown', async t => {
  const browser = createBrowser(app)
  const { id, username } = await createUser(owner)
  await browser.signIn(username)
  await eventually(() => app.inject('/health'), ({ statusCode }) => statusCode === 200)

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
