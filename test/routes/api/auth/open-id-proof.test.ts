import t, { type Test } from 'tap'
import { startProviderC } from '../../../../demo/provider-c.ts'
import { createBrowser, NO_LIMITS, type Browser } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import {
  comeBackFrom, goThrough, HOME, landOn, registration, signInAt, tokensIn,
} from '../../../support/provider-visits.ts'
import { addTotp, codeOf } from '../../../support/second-factor.ts'

const ADA = { as: { id: 4711, email: 'ada@example.org' } }

const gitlab = await startProviderC(registration('gitlab'), 'gitlab')
const a = await startProviderC(registration('provider-a'), 'a')
t.teardown(() => Promise.all([gitlab.stop(), a.stop()]))

const SETTINGS = {
  ...NO_LIMITS,
  ...gitlab.settings,
  PUBLIC_URL: HOME,
  PROVIDER_A_ISSUER: a.url,
  PROVIDER_A_CLIENT_ID: 'gatehouse',
  PROVIDER_A_CLIENT_SECRET: 'pr0vider-Secret',
}

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner } = await buildShared(t, { settings: { ...SETTINGS, ...settings } })
  return { app, owner, browser: createBrowser(app) }
}

t.test('provider A with an issuer: found by discovery, ID token verified, id in its own column', async t => {
  const { app, browser, owner } = await setUp(t)
  const url = new URL(String((await browser.get('/api/auth/provider-a')).headers.location))
  t.equal(url.origin, a.url)
  t.match(Object.fromEntries(url.searchParams), { scope: 'openid profile email', nonce: /./ })
  t.equal(await goThrough(browser, 'provider-a', ADA), '/dashboard')
  t.match((await owner.query('SELECT * FROM users')).rows, [{ provider: 'provider_a', provider_a_id: /4711$/ }])
  t.equal((await owner.query('SELECT FROM identities')).rowCount, 0)
  for (const misbehaviour of ['bad-signature', 'wrong-nonce', 'other-issuer'] as const) {
    const failed = '/login?error=provider_a_auth_failed'
    t.equal(await goThrough(createBrowser(app), 'provider-a', { ...ADA, misbehaviour }), failed, misbehaviour)
  }
})

async function stale (t: Test, name: string) {
  const built = await setUp(t)
  const { browser, owner } = built
  await goThrough(browser, name, ADA)
  await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  const begin = () => browser.guarded('POST', '/api/auth/factors/totp')
  return { ...built, begin, status: async () => (await begin()).statusCode }
}

for (const [name, key] of [['gitlab', 'gitlab'], ['provider-a', 'provider_a']] as const) {
  const failed = `/login?error=${key}_auth_failed`

  t.test(`/api/auth/${name}?confirm=true: the provider asks again, and the session is fresh (302)`, async t => {
    const { browser, owner, begin, status } = await stale(t, name)
    t.match((await begin()).json(), { error: 'Confirm it is you', methods: [key] })
    const { headers } = await browser.get(`/api/auth/${name}?confirm=true`)
    const asked = new URL(String(headers.location)).searchParams
    t.strictSame([asked.get('prompt'), asked.get('max_age')], ['login', '0'])
    const query = '?confirm=true&next=/dashboard%23factors'
    t.equal(await goThrough(browser, name, ADA, query), '/dashboard#factors')
    const live = 'SELECT FROM refresh_tokens WHERE revoked_at IS NULL'
    t.equal((await owner.query(live)).rowCount, 1, 'one device')
    t.equal(await status(), 200)
  })

  t.test(`/api/auth/${name}?confirm=true: a copy gets nothing, a lost response signs nobody out`, async t => {
    const { app, browser, begin } = await stale(t, name)
    const copy = () => {
      const other = createBrowser(app)
      for (const [name, value] of browser.cookies) other.cookies.set(name, value)
      return other
    }
    await begin()
    const stolen = copy()
    browser.cookies.set('proof_key', '0123456789abcdef'.repeat(4))
    const back = await comeBackFrom(browser, name, ADA, '?confirm=true')
    const interrupted = copy()
    t.equal(await landOn(browser, back), '/dashboard')
    t.equal((await stolen.refresh()).statusCode, 401)
    t.equal((await interrupted.refresh()).statusCode, 200)
    t.equal(interrupted.cookies.get('refresh_token'), browser.cookies.get('refresh_token'))
  })

  t.test(`/api/auth/${name}?confirm=true: another user, an older or unknown sign-in (302, not fresh)`, async t => {
    const { browser, status } = await stale(t, name)
    const confirm = '?confirm=true'
    t.equal(await goThrough(browser, name, { as: { id: 1, email: 'eve@example.org' } }, confirm), failed)
    t.equal(await goThrough(browser, name, { ...ADA, misbehaviour: 'no-auth-time' }, confirm), failed)
    const now = Date.now
    Date.now = () => now() + 120_000
    const start = await browser.get(`/api/auth/${name}${confirm}`).finally(() => { Date.now = now })
    t.equal(await landOn(browser, await signInAt(String(start.headers.location), ADA)), failed)
    t.equal(await status(), 403)
  })
}

const idOf = async (browser: Browser) => (await browser.get('/api/auth/me')).json().id as string

t.test('an account with a second factor is asked for it, unless the provider is trusted', async t => {
  const { app, browser, owner } = await setUp(t)
  await goThrough(browser, 'gitlab', ADA)
  const { secret } = await addTotp(owner, await idOf(browser))
  const other = createBrowser(app)
  t.equal(await goThrough(other, 'gitlab', ADA, '?next=/reports'),
    '/login?second_factor=totp%2Crecovery&next=%2Freports')
  t.strictSame(tokensIn(other), [])
  t.equal((await other.post('/login/second-factor', { code: codeOf(secret) })).statusCode, 200)

  const trusting = await setUp(t, { PROVIDER_SECOND_FACTOR: 'trust' })
  await goThrough(trusting.browser, 'gitlab', ADA)
  await addTotp(trusting.owner, await idOf(trusting.browser))
  t.equal(await goThrough(createBrowser(trusting.app), 'gitlab', ADA), '/dashboard')
})
