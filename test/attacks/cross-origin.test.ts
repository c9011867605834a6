import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'
import { LAYOUTS } from '../support/two-hosts.ts'

const POSTS = [
  '/login',
  '/register',
  '/verify-email',
  '/verify-email/resend',
  '/reset-password',
  '/reset-password/confirm',
  '/api/auth/password',
  '/api/auth/password/check',
]
const CHANGES = [...POSTS, '/logout', '/api/auth/refresh', '/api/sensitive']

for (const [layout, settings] of LAYOUTS) {
  t.test(`CORS: no response can be read by another site, ${layout}`, async t => {
    const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
    const browser = createBrowser(app)
    await browser.signIn((await createUser(owner)).username)
    for (const origin of [
      'https://evil.example',
      'null',
      'https://auth.example.com.evil.example',
      'https://shop.example.com',
      'http://auth.example.com',
      'https://auth.example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.example',
      'https://x.app.example.com',
    ]) {
      for (const [method, url] of [
        ['GET', '/api/auth/me'],
        ['GET', '/api/csrf-token'],
        ['GET', '/health'],
        ['GET', '/nowhere'],
        ['POST', '/login'],
        ['OPTIONS', '/login'],
        ['OPTIONS', '/api/auth/me'],
      ] as const) {
        const answer = await browser.send(method, url, undefined, {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        })
        t.strictSame(
          Object.keys(answer.headers).filter(name => name.startsWith('access-control-')),
          [],
          `${method} ${url} for ${origin}`
        )
        if (method === 'OPTIONS') t.equal(answer.statusCode, 405)
      }
    }
  })
}

t.test('body types that a form of another site can send (415)', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const body = JSON.stringify({ username: 'x', password: PASSWORD })
  for (const url of POSTS.filter(each => each !== '/api/auth/password')) {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/csp-report',
      'text/json',
      'application/jsonp',
    ]) {
      t.equal(
        (await app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload: body })).statusCode,
        415,
        `${url} as ${type}`
      )
    }
  }
})

t.test('routes that change something: GET, HEAD and OPTIONS change nothing', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  const pages = ['/login', '/logout', '/register', '/verify-email', '/reset-password']
  for (const url of CHANGES) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'TRACE'] as const) {
      const { statusCode } = await browser.send(
        method as 'GET',
        `${url}?username=x&password=y&token=z&email=a@example.com`
      )
      t.equal(statusCode, pages.includes(url) && ['GET', 'HEAD'].includes(method) ? 200 : 405, `${method} ${url}`)
    }
  }
  t.equal((await browser.refresh()).statusCode, 200, 'still signed in')
  t.strictSame((await owner.query('SELECT what FROM auth_events')).rows, [{ what: 'sign_in' }])
})
