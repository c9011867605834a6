import { Tokens } from '@fastify/csrf'
import t, { type Test } from 'tap'
import { keysFor } from '../../../src/secrets/derived-keys.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { buildShared, JWT_SECRET } from '../../support/build.ts'

async function signedIn (t: Test, settings: Record<string, string> = {}) {
  const { app, owner, log } = await buildShared(t, { settings })
  const open = async () => {
    const browser = createBrowser(app)
    await browser.signIn((await createUser(owner)).username)
    const answer = await browser.get('/api/csrf-token')
    return { browser, answer, token: answer.json().csrfToken as string }
  }
  return { app, log, open }
}

t.test('GET /api/csrf-token (200), then POST /api/sensitive (200)', async t => {
  const { open, log } = await signedIn(t)
  const { browser, answer, token } = await open()
  t.equal(answer.statusCode, 200)
  t.strictSame(Object.keys(answer.json()), ['csrfToken'])
  t.match(answer.headers['set-cookie'], /^_csrf=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/)
  for (let use = 0; use < 2; use++) {
    const done = await browser.send('POST', '/api/sensitive', undefined, { 'x-csrf-token': token })
    t.equal(done.statusCode, 200)
    t.strictSame(Object.keys(done.json()), ['message'])
  }
  const second = (await browser.get('/api/csrf-token')).json().csrfToken
  t.not(second, token, 'each page has its own token')
  for (const each of [token, second]) {
    t.equal((await browser.send('POST', '/api/sensitive', undefined, { 'x-csrf-token': each })).statusCode, 200)
  }
  t.notMatch(log.text, token, 'no token in the log')
})

t.test('GET /api/csrf-token: _csrf is Secure in production', async t => {
  const { open } = await signedIn(t, {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://auth.example.com',
    REDIS_URL: 'redis://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
  })
  t.match((await open()).answer.headers['set-cookie'], /^_csrf=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
})

t.test("POST /api/sensitive: missing, wrong or another user's token, or not in the header (403)", async t => {
  const { open } = await signedIn(t)
  const [ada, bob] = [await open(), await open()]
  const refused = async (
    what: string,
    headers: Record<string, string>,
    payload?: object,
    cookies: Record<string, string | undefined> = {}
  ) => {
    const kept = new Map(ada.browser.cookies)
    for (const [name, value] of Object.entries(cookies)) {
      value === undefined ? ada.browser.cookies.delete(name) : ada.browser.cookies.set(name, value)
    }
    const answer = await ada.browser.send('POST', '/api/sensitive', payload, headers)
    for (const [name, value] of kept) ada.browser.cookies.set(name, value)
    t.equal(answer.statusCode, 403, what)
    t.strictSame(
      answer.json(),
      {
        error: 'Forbidden',
        message:
          'Send the token from GET /api/csrf-token in the X-CSRF-Token header, together with its cookie.',
      },
      what
    )
  }
  const { token } = ada
  await refused('missing', {})
  await refused('empty', { 'x-csrf-token': '' })
  await refused('wrong', { 'x-csrf-token': 'wrong' })
  await refused('changed', { 'x-csrf-token': `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` })
  await refused('twice', { 'x-csrf-token': `${token}, ${token}` })
  await refused("another user's", { 'x-csrf-token': bob.token })
  await refused("another user's, with that user's cookie", { 'x-csrf-token': bob.token }, undefined, {
    _csrf: bob.browser.cookies.get('_csrf'),
  })
  await refused('no cookie', { 'x-csrf-token': token }, undefined, { _csrf: undefined })
  await refused('a cookie with a wrong signature', { 'x-csrf-token': token }, undefined, {
    _csrf: ada.browser.cookies.get('_csrf')?.split('.')[0],
  })
  await refused('in the body', {}, { _csrf: token })
  for (const name of ['csrf-token', 'xsrf-token', 'x-xsrf-token']) await refused(`in ${name}`, { [name]: token })
  t.equal(
    (await ada.browser.send('POST', '/api/sensitive', undefined, { 'x-csrf-token': token })).statusCode,
    200,
    'the right token is still valid'
  )
})

t.test('POST /api/sensitive: cookie and token of version 0.2 (200), until the next GET /api/csrf-token', async t => {
  const { app, open } = await signedIn(t)
  const { browser } = await open()
  const send = async (token: string) =>
    (await browser.send('POST', '/api/sensitive', undefined, { 'x-csrf-token': token })).statusCode
  const { id } = (await browser.get('/api/auth/me')).json()
  const [hmacKey] = keysFor('csrf', { JWT_SECRET })
  const tokens = new Tokens({ userInfo: true, hmacKey })
  const secret = tokens.secretSync()
  browser.cookies.set('_csrf', app.signCookie(secret))
  const former = tokens.create(secret, id)
  t.equal(await send(former), 200)
  t.equal(await send((await browser.get('/api/csrf-token')).json().csrfToken), 200)
  const present = app.unsignCookie(browser.cookies.get('_csrf') as string).value as string
  t.equal(present, `${secret}.~_csrf`)
  t.equal(await send(tokens.create(present, id)), 200, 'the secret is what is signed: 0.2 creates the same tokens')
  t.equal(await send(former), 403, 'the browser client gets a new token then')
})

t.test('GET /api/csrf-token, POST /api/sensitive: not signed in (401)', async t => {
  const { app, open } = await signedIn(t)
  const { token, browser } = await open()
  t.equal((await app.inject('/api/csrf-token')).statusCode, 401)
  t.equal(
    (
      await app.inject({
        method: 'POST',
        url: '/api/sensitive',
        headers: { 'x-csrf-token': token },
        cookies: { _csrf: browser.cookies.get('_csrf') as string },
      })
    ).statusCode,
    401
  )
})
