import t from 'tap'
import { createBrowser, createUser } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'

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
