import t, { type Test } from 'tap'
import { startProviderA } from '../../../../demo/provider-a.ts'
import { startProviderB } from '../../../../demo/provider-b.ts'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../../../support/browser.ts'
import { buildShared, secrets } from '../../../support/build.ts'
import { signInAtProvider } from '../../../support/person.ts'
import { addTotp, codeOf } from '../../../support/second-factor.ts'

const HOME = 'http://gatehouse.test'
const [A, B] = ['/api/auth/provider-a', '/api/auth/provider-b'] as const
const ADA = { id: 4711, login: 'ada-hub', email: 'ada@example.org' }

const register = (path: string) =>
  ({ clientId: 'gatehouse', clientSecret: 'pr0vider-Secret', redirectUri: `${HOME}${path}/callback` })
secrets.add('pr0vider-Secret')
const a = await startProviderA(register(A))
const b = await startProviderB(register(B))
t.teardown(() => Promise.all([a.stop(), b.stop()]))

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const all = { ...NO_LIMITS, ...a.settings, ...b.settings, PUBLIC_URL: HOME, ...settings }
  const { app, owner } = await buildShared(t, { settings: all })
  return { app, owner, browser: createBrowser(app) }
}

async function goThrough (browser: Browser, path: string, query = '', as: Partial<typeof ADA> = ADA) {
  const start = await browser.get(path + query)
  const url = new URL(String(start.headers.location))
  const back = await signInAtProvider(url.href, { as })
  // Browsers send no Strict cookie with a navigation that another site began.
  const strict = [...browser.cookies].filter(([name]) => /_token$|^_csrf$|^login_step$/.test(name))
  for (const [name] of strict) browser.cookies.delete(name)
  const answer = await browser.get(back.pathname + back.search)
  for (const [name, value] of strict) if (!browser.cookies.has(name)) browser.cookies.set(name, value)
  return { asked: url.searchParams, location: String(answer.headers.location), answer }
}

const tokensIn = (browser: Browser) => [...browser.cookies.keys()].filter(name => name.endsWith('_token'))
const ownerOf = async (browser: Browser) => (await browser.get('/api/auth/me')).json().id as string

/** An account that signs in through a provider and has a second factor. */
async function socialUser (browser: Browser, owner: Parameters<typeof addTotp>[0], path: string) {
  const { location } = await goThrough(browser, path)
  if (location !== '/dashboard') throw new Error(location)
  const id = await ownerOf(browser)
  return { id, factor: await addTotp(owner, id) }
}

for (const path of [A, B]) {
  t.test(`${path}: an account with a second factor is asked for it (302, 200)`, async t => {
    const { app, owner, browser } = await setUp(t)
    const { factor } = await socialUser(browser, owner, path)
    const other = createBrowser(app)
    const { location } = await goThrough(other, path, '?next=/reports')
    t.equal(location, '/login?second_factor=totp%2Crecovery&next=%2Freports')
    t.strictSame(tokensIn(other), [])
    t.equal((await other.post('/login/second-factor', { code: codeOf(factor.secret), remember: true })).statusCode, 200)
    const [, payload = ''] = String(other.cookies.get('access_token')).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    t.strictSame(claims.amr, ['ext', 'otp', 'mfa'])
    t.equal((await goThrough(other, path)).location, '/dashboard', 'the browser is remembered')
  })
}

t.test('a password account that is linked to a provider is asked too', async t => {
  const { owner, browser } = await setUp(t)
  const user = await createUser(owner, { email: ADA.email })
  await addTotp(owner, user.id)
  t.match((await goThrough(browser, A)).location, /^\/login\?second_factor=/)
  t.strictSame(tokensIn(browser), [])
})

t.test('PROVIDER_SECOND_FACTOR=trust: the provider is enough (302)', async t => {
  const { app, owner, browser } = await setUp(t, { PROVIDER_SECOND_FACTOR: 'trust' })
  await socialUser(browser, owner, A)
  const other = createBrowser(app)
  t.equal((await goThrough(other, A)).location, '/dashboard')
  t.equal((await other.get('/api/auth/me')).statusCode, 200)
})

t.test('SECOND_FACTOR=required: also through a provider, nothing but adding one', async t => {
  const { browser } = await setUp(t, { SECOND_FACTOR: 'required', PROVIDER_SECOND_FACTOR: 'trust' })
  t.equal((await goThrough(browser, A)).location, '/dashboard')
  t.equal((await browser.get('/api/auth/me')).statusCode, 403)
  t.equal((await browser.guarded('POST', '/api/auth/factors/totp')).statusCode, 200)
})

async function stale (t: Test, path: string) {
  const built = await setUp(t)
  const { browser, owner } = built
  await goThrough(browser, path)
  await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  const status = async () => (await browser.guarded('POST', '/api/auth/factors/totp')).statusCode
  t.equal(await status(), 403)
  return { ...built, status }
}

for (const [path, method] of [[A, 'provider_a'], [B, 'provider_b']] as const) {
  t.test(`${path}?confirm=true: the provider asks again, and the session is fresh (302)`, async t => {
    const { browser, owner, status } = await stale(t, path)
    const refusal = await browser.guarded('POST', '/api/auth/factors/totp')
    t.match(refusal.json(), { error: 'Confirm it is you', methods: [method] })
    const { asked, location } = await goThrough(browser, path, '?confirm=true&next=/dashboard%23factors')
    t.strictSame([asked.get('prompt'), asked.get('max_age')], ['login', '0'])
    t.equal(location, '/dashboard#factors')
    const live = 'SELECT FROM refresh_tokens WHERE revoked_at IS NULL'
    t.equal((await owner.query(live)).rowCount, 1, 'one device')
    t.equal(await status(), 200)
  })

  t.test(`${path}?confirm=true: another user of the provider (302, not fresh)`, async t => {
    const { browser, status } = await stale(t, path)
    const { location } = await goThrough(browser, path, '?confirm=true', { email: 'eve@example.org', id: 1 })
    t.equal(location, `/login?error=${method}_auth_failed`)
    t.equal(await status(), 403)
  })
}

t.test('?confirm=true: a sign-in at the provider that is older than the request (302, not fresh)', async t => {
  const { browser, status } = await stale(t, A)
  const now = Date.now
  Date.now = () => now() + 120_000
  const start = await browser.get(`${A}?confirm=true`).finally(() => { Date.now = now })
  const back = await signInAtProvider(String(start.headers.location), { as: ADA })
  const answer = await browser.get(back.pathname + back.search)
  t.equal(answer.headers.location, '/login?error=provider_a_auth_failed')
  t.equal(await status(), 403)
})

t.test('?confirm=true: not for an account with a password or a second factor, and not signed out', async t => {
  const { app, owner, browser } = await stale(t, A)
  const id = (await owner.query('SELECT id FROM users')).rows[0].id
  await addTotp(owner, id)
  t.equal((await goThrough(browser, A, '?confirm=true')).location, '/login?error=provider_a_auth_failed')

  const { asked, location } = await goThrough(createBrowser(app), A, '?confirm=true')
  t.equal(asked.get('prompt'), null)
  t.match(location, /^\/login\?second_factor=/, 'signed out, it is a sign-in')
})
