import { mock } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../../support/browser.ts'
import {
  build,
  buildShared,
  pg,
  secrets,
  SERVICE_PASSWORD,
  startOwnPostgres,
  TEMPLATE,
} from '../../../support/build.ts'
import { eventually } from '../../../support/patience.ts'
import { OWNER_PASSWORD } from '../../../support/stack.ts'

const SETTINGS = {
  ...NO_LIMITS,
  TOKEN_AUDIENCES: 'orders,billing',
  PUBLIC_URL: 'https://auth.example.com',
  SIGNING_ALG: 'EdDSA',
}

async function setUp (t: Test, settings: Record<string, string> = {}, service = buildShared) {
  const { app, owner } = await service(t, { settings: { ...SETTINGS, ...settings } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)

  async function verify (token: string, audience = 'orders') {
    const keys = createLocalJWKSet((await app.inject('/.well-known/jwks.json')).json())
    const { payload } = await jwtVerify(token, keys, { audience, issuer: SETTINGS.PUBLIC_URL, typ: 'at+jwt' })
    return payload
  }
  async function tokenFor (audience: string, by = browser): Promise<string> {
    const answer = await by.post('/api/auth/token', { audience })
    t.equal(answer.statusCode, 200)
    const { token } = answer.json()
    secrets.add(token)
    return token
  }
  async function headerFor (audience: string): Promise<string> {
    const answer = await browser.get(`/api/auth/verify?audience=${audience}`)
    t.equal(answer.statusCode, 204)
    return String(answer.headers['x-auth-token'])
  }
  return { app, owner, user, browser, verify, tokenFor, headerFor }
}

for (const SIGNING_ALG of ['EdDSA', 'ES256']) {
  t.test(`POST /api/auth/token: a token that the public keys verify, ${SIGNING_ALG} (200)`, async t => {
    const { app, owner, user, browser, verify } = await setUp(t, { SIGNING_ALG })
    const answer = await browser.post('/api/auth/token', { audience: 'orders' })
    t.equal(answer.statusCode, 200)
    const { token, expiresAt, ...rest } = answer.json()
    t.strictSame(rest, {})
    const { kid, ...header } = decodeProtectedHeader(token)
    t.strictSame(header, { alg: SIGNING_ALG, typ: 'at+jwt' })
    const { rows: [session] } = await owner.query(
      'SELECT extract(epoch FROM signed_in_at)::int AS began FROM refresh_tokens WHERE user_id = $1', [user.id])
    const { iat = 0, exp, jti, sid, ...claims } = await verify(token)
    t.strictSame(claims, {
      iss: 'https://auth.example.com',
      sub: user.id,
      aud: 'orders',
      username: user.username,
      email: user.email,
      email_verified: true,
      auth_time: session.began,
      amr: ['pwd'],
    })
    t.equal(exp, iat + 300)
    t.equal(expiresAt, new Date((iat + 300) * 1_000).toISOString())
    t.match([jti, sid], [/^[0-9a-f-]{36}$/, /^[0-9a-f-]{36}$/])

    const published = await app.inject('/.well-known/jwks.json')
    t.equal(published.headers['cache-control'], 'public, max-age=600')
    const [key, ...others] = published.json().keys
    t.strictSame(others, [])
    t.match(key, { kid, alg: SIGNING_ALG, use: 'sig' })
    t.notOk('d' in key, 'only the public part')
  })
}

t.test('GET /api/auth/verify?audience=…: the same token as X-Auth-Token (204)', async t => {
  const { browser, tokenFor, headerFor, verify } = await setUp(t)
  const token = await tokenFor('orders')
  t.equal(await headerFor('orders'), token)
  t.equal(await tokenFor('orders'), token, 'reused for the same session and audience')
  const other = await headerFor('billing')
  t.not(other, token)
  t.equal((await verify(other, 'billing')).aud, 'billing')
  await t.rejects(verify(other, 'orders'), { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' }, 'not for another audience')
  t.notOk('x-auth-token' in (await browser.get('/api/auth/verify')).headers, 'none without an audience')
})

t.test('POST /api/auth/token: amr and auth_time say how and when the user last proved who they are (200)', async t => {
  const { owner, browser, tokenFor, verify } = await setUp(t)
  t.strictSame((await verify(await tokenFor('orders'))).amr, ['pwd'])
  await owner.query("UPDATE refresh_tokens SET amr = '{pwd,otp,mfa}', auth_time = to_timestamp(1800000000)")
  await browser.refresh()
  const access = JSON.parse(Buffer.from(String(browser.cookies.get('access_token')).split('.')[1] ?? '', 'base64url')
    .toString())
  for (const claims of [access, await verify(await tokenFor('orders'))]) {
    t.strictSame([claims.amr, claims.auth_time], [['pwd', 'otp', 'mfa'], 1_800_000_000])
  }
})

t.test('POST /api/auth/token: at the same moment, one token (200)', async t => {
  const { tokenFor } = await setUp(t)
  const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenFor('orders')))
  t.equal(new Set(tokens).size, 1)
})

t.test('POST /api/auth/token, GET /api/auth/verify: unknown audience (403), none (400), signed out (401)', async t => {
  const { app, browser } = await setUp(t)
  const refusal = {
    error: 'Unknown audience',
    message: 'Tokens are issued only for the audiences in the setting TOKEN_AUDIENCES.',
  }
  for (const answer of [
    await browser.post('/api/auth/token', { audience: 'payroll' }),
    await browser.get('/api/auth/verify?audience=payroll'),
  ]) {
    t.equal(answer.statusCode, 403)
    t.strictSame(answer.json(), refusal)
    t.notOk('x-auth-token' in answer.headers)
  }
  for (const body of [{}, { audience: '' }, { audience: ['orders'] }, { audience: 'two words' }]) {
    t.equal((await browser.post('/api/auth/token', body)).statusCode, 400, JSON.stringify(body))
  }
  for (const query of ['audience=', 'audience=orders&audience=billing', 'audience=a%20b']) {
    t.equal((await browser.get(`/api/auth/verify?${query}`)).statusCode, 400, query)
  }
  const stranger = createBrowser(app)
  t.equal((await stranger.post('/api/auth/token', { audience: 'orders' })).statusCode, 401)
  t.equal((await stranger.get('/api/auth/verify?audience=orders')).statusCode, 401)
})

t.test('POST /api/auth/token: from a page of another site (403), not as JSON (415)', async t => {
  const { browser } = await setUp(t)
  for (const [name, value] of [['origin', 'https://evil.example'], ['sec-fetch-site', 'cross-site']] as const) {
    const answer = await browser.send('POST', '/api/auth/token', { audience: 'orders' }, { [name]: value })
    t.equal(answer.statusCode, 403, name)
  }
  const form = await browser.send('POST', '/api/auth/token', undefined, { 'content-type': 'text/plain' })
  t.equal(form.statusCode, 415)
})

t.test('POST /api/auth/token: a count of its own, thirty times the general limit (429)', async t => {
  const { browser } = await setUp(t, { LIMIT_GENERAL_MAX: '2' })
  for (let n = 0; n < 60; n++) t.equal((await browser.post('/api/auth/token', { audience: 'orders' })).statusCode, 200)
  for (const read of ['/api/csrf-token', '/api/auth/sessions', '/api/auth/factors']) {
    t.equal((await browser.get(read)).statusCode, 429, `${read} shares the count`)
  }
  t.equal((await browser.post('/api/auth/token', { audience: 'orders' })).statusCode, 429)
  t.equal((await browser.get('/api/content')).statusCode, 200, 'the general limit has its own')
})

t.test('a token that is kept for reuse ends with the session', async t => {
  const { app, browser, tokenFor } = await setUp(t)
  await tokenFor('orders')
  const stolen = createBrowser(app)
  stolen.cookies.set('access_token', browser.cookies.get('access_token') as string)
  t.equal((await browser.post('/logout')).statusCode, 204)
  t.equal((await stolen.post('/api/auth/token', { audience: 'orders' })).statusCode, 401)
  await eventually(
    async () => (await stolen.get('/api/auth/verify?audience=orders')).statusCode,
    status => status === 401
  )
})

t.test('a token that is kept for reuse ends with a change of what it says', async t => {
  const { owner, user, tokenFor, headerFor, verify } = await setUp(t)
  const token = await tokenFor('orders')
  await owner.query("UPDATE users SET email = 'new@example.com', username = 'renamed' WHERE id = $1", [user.id])
  const renewed = await tokenFor('orders')
  t.match(await verify(renewed), { email: 'new@example.com', username: 'renamed', sub: user.id })
  t.not(renewed, token)
  t.equal(await headerFor('orders'), renewed)
})

t.test('a token that is valid for less than a minute is replaced', async t => {
  const { tokenFor, headerFor } = await setUp(t, {}, build)
  const token = await tokenFor('orders')
  const now = Date.now()
  mock.timers.enable({ apis: ['Date'], now: now + 200_000 })
  t.teardown(() => mock.timers.reset())
  t.equal(await tokenFor('orders'), token)
  mock.timers.setTime(now + 241_000)
  const renewed = await headerFor('orders')
  t.not(renewed, token)
  t.equal(await tokenFor('orders'), renewed)
})

t.test('PostgreSQL down: the kept token and the public keys are still served, a new token is not (503)', async t => {
  const postgres = await startOwnPostgres(t)
  const owner = new pg.Pool({ connectionString: postgres.url('postgres', OWNER_PASSWORD, TEMPLATE) })
  owner.on('error', () => {})
  const DATABASE_URL = postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE)
  const { app } = await build(t, { settings: { ...SETTINGS, DATABASE_URL } })
  const { username } = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(username)
  const { token } = (await browser.post('/api/auth/token', { audience: 'orders' })).json()
  const { keys } = (await app.inject('/.well-known/jwks.json')).json()
  await owner.end()
  await postgres.stop()

  t.equal((await browser.post('/api/auth/token', { audience: 'orders' })).json().token, token)
  const kept = await browser.get('/api/auth/verify?audience=orders')
  t.strictSame([kept.statusCode, kept.headers['x-auth-token']], [204, token])
  const refused = await browser.get('/api/auth/verify?audience=billing')
  t.strictSame([refused.statusCode, refused.headers['retry-after']], [503, '5'])
  t.strictSame((await app.inject('/.well-known/jwks.json')).json().keys, keys)
})
