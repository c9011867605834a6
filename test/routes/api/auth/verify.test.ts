import t from 'tap'
import { createBrowser, createUser } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { APP, TWO_HOSTS } from '../../../support/two-hosts.ts'

const settings = { PUBLIC_URL: 'https://auth.example.com' }
const PAGE = { 'sec-fetch-mode': 'navigate', accept: 'text/html' }
const WANTED = '/app/report?year=2026&of=a%20b'
const LOGIN = '/login?next=%2Fapp%2Freport%3Fyear%3D2026%26of%3Da%2520b'

t.test('GET /api/auth/verify: not signed in (401), for a page to /login (302)', async t => {
  const { app } = await buildShared(t, { settings })
  const cases: Array<[what: string, headers: Record<string, string>, location: string | undefined]> = [
    ['a page', { ...PAGE, 'x-forwarded-uri': WANTED }, LOGIN],
    ['a page, with HEAD', { ...PAGE, 'x-forwarded-uri': WANTED, 'x-forwarded-method': 'HEAD' }, LOGIN],
    [
      'a page, in a browser without Sec-Fetch headers',
      { accept: 'text/html,*/*;q=0.8', 'x-forwarded-uri': WANTED },
      LOGIN,
    ],
    ['a page, and a front end that does not send its path', PAGE, '/login'],
    [
      'a path of the maximum length',
      { ...PAGE, 'x-forwarded-uri': `/${'x'.repeat(2_045)}` },
      `/login?next=%2F${'x'.repeat(2_045)}`,
    ],
    ['a longer path', { ...PAGE, 'x-forwarded-uri': `/${'x'.repeat(2_046)}` }, '/login'],
    ['a path that is longer when encoded', { ...PAGE, 'x-forwarded-uri': '/'.repeat(700) }, '/login'],
    [
      'a path that leads to another site',
      { ...PAGE, 'x-forwarded-uri': '//evil.example/\\' },
      '/login?next=%2F%2Fevil.example%2F%5C',
    ],
    ['a script', { accept: 'application/json', 'x-forwarded-uri': WANTED }, undefined],
    ['a script that accepts HTML', { ...PAGE, 'sec-fetch-mode': 'cors', 'x-forwarded-uri': WANTED }, undefined],
    ['a submitted form', { ...PAGE, 'x-forwarded-uri': WANTED, 'x-forwarded-method': 'POST' }, undefined],
    ['a program', {}, undefined],
  ]
  for (const [what, headers, location] of cases) {
    const refused = await app.inject({ url: '/api/auth/verify', headers })
    t.equal(refused.statusCode, 401, what)
    t.strictSame(refused.json(), { error: 'Unauthorized', message: 'Sign in to continue.' }, what)
    t.equal(refused.headers.location, location, what)

    const handedOn = await app.inject({ url: '/api/auth/verify?signed-out=redirect', headers })
    t.equal(handedOn.statusCode, location ? 302 : 401, what)
    t.equal(handedOn.headers.location, location && `https://auth.example.com${location}`, what)
  }
})

t.test('GET /api/auth/verify: signed in, for any request (204)', async t => {
  const { app, owner } = await buildShared(t, { settings })
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  for (const url of ['/api/auth/verify', '/api/auth/verify?signed-out=redirect']) {
    const answer = await browser.send('GET', url, undefined, PAGE)
    t.equal(answer.statusCode, 204)
    t.notOk('location' in answer.headers)
  }
})

t.test('GET /api/auth/verify?audience=unknown: no header names the user (403)', async t => {
  const { app, owner } = await buildShared(t, { settings })
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  const { statusCode, headers } = await browser.get('/api/auth/verify?audience=unknown')
  t.equal(statusCode, 403)
  t.strictSame(Object.keys(headers).filter(name => name.startsWith('x-auth-')), [])
})

t.test('GET /api/auth/verify: at the host of an app, leads to the login page and back (401, 302)', async t => {
  const { app } = await buildShared(t, { settings: TWO_HOSTS })
  const back = `https://auth.example.com/login?next=${encodeURIComponent(APP + WANTED)}`
  for (const [host, location] of [
    ['app.example.com', back],
    ['auth.example.com', LOGIN],
    ['shop.example.com', LOGIN],
    ['evil.example', LOGIN],
    ['app.example.com.evil.example', LOGIN],
    ['app.example.com, evil.example', LOGIN],
    ['app.example.com:8443', LOGIN],
  ] as const) {
    const headers = { ...PAGE, 'x-forwarded-uri': WANTED, 'x-forwarded-host': host }
    const refused = await app.inject({ url: '/api/auth/verify', headers })
    t.strictSame([refused.statusCode, refused.headers.location], [401, location], host)
    const redirected = await app.inject({ url: '/api/auth/verify?signed-out=redirect', headers })
    const absolute = new URL(location, 'https://auth.example.com').href
    t.strictSame([redirected.statusCode, redirected.headers.location], [302, absolute], host)
  }
  const odd = { ...PAGE, 'x-forwarded-uri': '@evil.example/', 'x-forwarded-host': 'app.example.com' }
  const { headers: { location } } = await app.inject({ url: '/api/auth/verify', headers: odd })
  t.equal(location, 'https://auth.example.com/login?next=%40evil.example%2F', 'no path: the page ignores it')
})

t.test('GET /api/auth/verify: at the host of an app, with the access token alone (204)', async t => {
  const { app, owner } = await buildShared(t, { settings: TWO_HOSTS })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  // What browsers send to app.example.com.
  browser.cookies.delete('__Host-refresh_token')
  t.match(await browser.get('/api/auth/verify'), { statusCode: 204, headers: { 'x-auth-user-id': user.id } })
  t.equal((await browser.get('/api/auth/me')).statusCode, 401, 'only for access checks')
})
