import t, { type Test } from 'tap'
import { MISBEHAVIOURS_OF_C, type Misbehaviour } from '../../../../demo/misbehaviour.ts'
import { startProviderC } from '../../../../demo/provider-c.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { comeBackFrom, goThrough, HOME, registration, tokensIn } from '../../../support/provider-visits.ts'

const ADA = { id: 4711, name: 'Ada Lovelace', email: 'Ada.L@example.org' }
const FAILED = '/login?error=gitlab_auth_failed'

const gitlab = await startProviderC(registration('gitlab'), 'gitlab')
const company = await startProviderC(registration('company'), 'company')
t.teardown(() => Promise.all([gitlab.stop(), company.stop()]))

const BOTH = { ...NO_LIMITS, ...company.settings, ...gitlab.settings, PROVIDERS: 'gitlab, company', PUBLIC_URL: HOME }

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner, log } = await buildShared(t, { settings: { ...BOTH, ...settings } })
  const rows = async (table: string) => (await owner.query(`SELECT * FROM ${table}`)).rows
  return { app, owner, log, rows, browser: createBrowser(app) }
}

t.test('GET /api/auth/gitlab: to the provider, with scopes, PKCE, nonce and cookies (302)', async t => {
  const { browser, rows } = await setUp(t)
  const answer = await browser.get('/api/auth/gitlab')
  t.equal(answer.statusCode, 302)
  const url = new URL(String(answer.headers.location))
  t.equal(url.origin + url.pathname, `${gitlab.url}/auth`)
  t.match(Object.fromEntries(url.searchParams), {
    response_type: 'code',
    client_id: 'gatehouse',
    scope: 'openid profile email',
    redirect_uri: `${HOME}/api/auth/gitlab/callback`,
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/,
  })
  t.strictSame(
    (answer.headers['set-cookie'] as string[]).map(line => line.replace(/=[^;]+;/, ';')),
    ['state', 'verifier', 'transaction'].map(
      part => `gitlab_${part}; Max-Age=600; Path=/api/auth/gitlab; HttpOnly; SameSite=Lax`
    )
  )
  t.strictSame(await rows('users'), [])
})

t.test('GET /api/auth/gitlab/callback: a new user, then the same again (302)', async t => {
  const { app, browser, rows } = await setUp(t)
  t.equal(await goThrough(browser, 'gitlab', { as: ADA }), '/dashboard')
  t.equal((await browser.get('/api/auth/me')).json().username, 'Ada.L')
  const [user] = await rows('users')
  t.match(user, {
    email: 'Ada.L@example.org',
    username: 'Ada.L',
    name: 'Ada Lovelace',
    email_verified_at: Date,
    password_hash: null,
    provider: null,
    provider_a_id: null,
    provider_b_id: null,
  })
  const identity = { provider: 'gitlab', subject: '100000000000000004711', user_id: user.id, email: ADA.email }
  t.match(await rows('identities'), [identity])
  const [before] = await rows('identities')

  t.equal(await goThrough(createBrowser(app), 'gitlab', { as: { ...ADA, email: 'other@example.org' } }), '/dashboard')
  const [after, ...others] = await rows('identities')
  t.match(after, { ...identity, email: 'other@example.org' })
  t.ok(after.last_used_at > before.last_used_at)
  t.strictSame(others, [])
  t.match(await rows('users'), [{ id: user.id, email: ADA.email }])
})

const REASONS: Partial<Record<Misbehaviour, RegExp>> = {
  'other-issuer': /"iss" \(issuer\) response parameter/,
  'wrong-nonce': /"nonce"/,
  'wrong-audience': /"aud"/,
  'wrong-issuer': /"iss"/,
  'bad-signature': /signature/,
}

t.test('callback: the provider misbehaves, back to /login (302)', async t => {
  const { app, log, rows } = await setUp(t)
  for (const misbehaviour of Object.keys(MISBEHAVIOURS_OF_C) as Misbehaviour[]) {
    if (misbehaviour === 'no-auth-time') continue
    const browser = createBrowser(app)
    const before = log.text.length
    const hasNoEmail = ['no-email', 'unverified-email'].includes(misbehaviour)
    t.equal(
      await goThrough(browser, 'gitlab', { misbehaviour }),
      FAILED + (hasNoEmail ? '&error_description=No+email+came+from+the+provider' : ''),
      misbehaviour
    )
    t.strictSame(tokensIn(browser), [], misbehaviour)
    const reason = REASONS[misbehaviour]
    if (reason) t.match(log.text.slice(before).replaceAll('\\"', '"'), reason, misbehaviour)
  }
  t.strictSame(await rows('users'), [])
  t.strictSame(await rows('identities'), [])
})

t.test('callback: a wrong client secret, the log has what the provider said (302)', async t => {
  const { browser, log } = await setUp(t, { PROVIDER_GITLAB_CLIENT_SECRET: 'an0ther-Secret' })
  t.equal(await goThrough(browser, 'gitlab', { as: ADA }), FAILED)
  t.match(log.lines.find(({ msg }) => msg === 'sign-in through a provider failed'), {
    provider: 'gitlab',
    error: 'invalid_client',
    error_description: /client authentication failed/,
  })
})

t.test('callback: without `iss`, or with the answer of another provider (302)', async t => {
  const { browser, rows } = await setUp(t)
  const back = await comeBackFrom(browser, 'gitlab', { as: ADA })
  t.equal((await browser.get(back.replace(/&iss=[^&]+/, ''))).headers.location, FAILED)

  await browser.get('/api/auth/company')
  const other = await comeBackFrom(browser, 'gitlab', { as: ADA })
  const [state] = String(browser.cookies.get('company_state')).split('.')
  const mixed = other.replace('/gitlab/', '/company/').replace(/state=[^&]+/, `state=${state}`)
  const before = company.exchanges
  t.equal((await browser.get(mixed)).headers.location, '/login?error=company_auth_failed')
  t.equal(company.exchanges, before, 'the code of one provider is not sent to the other')
  t.strictSame(await rows('users'), [])
})

t.test('callback: replayed, or in another browser: one code exchange (302)', async t => {
  const { app, browser, rows } = await setUp(t)
  const before = gitlab.exchanges
  const back = await comeBackFrom(browser, 'gitlab', { as: ADA })
  t.equal((await createBrowser(app).get(back)).headers.location, FAILED, 'in another browser')
  const thief = createBrowser(app)
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
  t.equal((await browser.get(back)).headers.location, '/dashboard')
  t.equal((await browser.get(back)).headers.location, FAILED, 'the same URL again')
  t.equal((await thief.get(back)).headers.location, FAILED, 'with its cookies')
  t.equal(gitlab.exchanges - before, 1)
  t.equal((await rows('refresh_tokens')).length, 1)
})

t.test('callback: fifty at once, one account and one identity for each user', async t => {
  const { app, rows } = await setUp(t)
  for (const [personOf, accounts] of [
    [(index: number) => ({ email: `person${index}@example.org`, name: 'Many' }), 50],
    [() => ({ email: 'same@example.org', name: 'Same' }), 51],
  ] as const) {
    const people = Array.from({ length: 50 }, (_, index) => ({ browser: createBrowser(app), as: personOf(index) }))
    const backs: string[] = []
    for (const { browser, as } of people) backs.push(await comeBackFrom(browser, 'gitlab', { as }))
    const locations = await Promise.all(people.map(async function finish ({ browser, as }, index) {
      // On a very busy machine a request may time out, after which users start again.
      let { location } = (await browser.get(backs[index] as string)).headers
      for (let attempt = 0; attempt < 10 && location !== '/dashboard'; attempt++) {
        location = await goThrough(browser, 'gitlab', { as })
      }
      return location
    }))
    t.strictSame([...new Set(locations)], ['/dashboard'])
    t.equal((await rows('users')).length, accounts)
    t.equal((await rows('identities')).length, accounts)
  }
})

t.test('callback: the same subject at two providers is two identities', async t => {
  const { app, rows } = await setUp(t)
  for (const [name, email] of [['gitlab', 'ada@example.org'], ['company', 'eve@example.org']] as const) {
    t.equal(await goThrough(createBrowser(app), name, { as: { ...ADA, email } }), '/dashboard')
  }
  const [one, other] = await rows('identities')
  t.equal(one.subject, other.subject)
  t.not(one.user_id, other.user_id)
})

t.test('callback: the same subject at another issuer under the same name is refused', async t => {
  const { app, browser, log, owner, rows } = await setUp(t)
  await goThrough(browser, 'gitlab', { as: ADA })
  await owner.query("UPDATE identities SET issuer = 'https://former.example'")
  t.equal(await goThrough(createBrowser(app), 'gitlab', { as: { ...ADA, email: 'eve@example.org' } }), FAILED)
  t.match(log.text, 'this user of the provider belongs to another account')
  t.equal((await rows('users')).length, 1)
})

t.test('callback: a verified local account is linked, an unverified one is replaced', async t => {
  const { app, browser, owner, rows } = await setUp(t, { EMAIL_VERIFICATION: 'off' })
  const ada = await createUser(owner, { email: ADA.email.toLowerCase() })
  for (const name of ['gitlab', 'company']) t.equal(await goThrough(browser, name, { as: ADA }), '/dashboard')
  t.match(await rows('identities'), [{ user_id: ada.id }, { user_id: ada.id }])
  t.equal(await goThrough(createBrowser(app), 'gitlab', { as: { ...ADA, id: 1 } }), FAILED, 'another user there')

  const squatter = createBrowser(app)
  await squatter.post('/register', { username: 'squatter', email: 'victim@example.org', password: PASSWORD })
  t.equal((await squatter.signIn('squatter')).statusCode, 200)
  t.equal(await goThrough(createBrowser(app), 'gitlab', { as: { id: 7, email: 'victim@example.org' } }), '/dashboard')
  t.equal((await squatter.refresh()).statusCode, 401)
  t.match((await owner.query("SELECT * FROM users WHERE email = 'victim@example.org'")).rows,
    [{ username: 'victim', password_hash: null }])
})

t.test('callback: a known identity needs no email; a disabled account is refused', async t => {
  const { app, browser, owner } = await setUp(t)
  await goThrough(browser, 'gitlab', { as: ADA })
  const again = createBrowser(app)
  t.equal(await goThrough(again, 'gitlab', { as: ADA, misbehaviour: 'unverified-email' }), '/dashboard')
  await owner.query('UPDATE users SET disabled_at = now()')
  t.equal(await goThrough(createBrowser(app), 'gitlab', { as: ADA }), FAILED)
})

t.test('DELETE /api/auth/me: the identities are deleted with the account', async t => {
  const { browser, rows } = await setUp(t)
  await goThrough(browser, 'gitlab', { as: ADA })
  t.equal((await rows('identities')).length, 1)
  t.equal((await browser.guarded('DELETE', '/api/auth/me', {})).statusCode, 204)
  t.strictSame(await rows('identities'), [])
})

t.test('GET /api/auth/gitlab?next: the callback opens a local path, or else LOGIN_REDIRECT (302)', async t => {
  const { app } = await setUp(t)
  for (const [next, location] of [
    ['/app?tab=2#part', '/app?tab=2#part'],
    ['//evil.example', '/dashboard'],
    ['/\\evil.example', '/dashboard'],
    ['https://evil.example', '/dashboard'],
  ] as const) {
    const query = `?next=${encodeURIComponent(next)}`
    t.equal(await goThrough(createBrowser(app), 'gitlab', { as: ADA }, query), location, next)
  }
  t.equal(await goThrough(createBrowser(app), 'gitlab', { cancel: true }, '?next=/app%3Ftab%3D2'),
    `${FAILED}&next=%2Fapp%3Ftab%3D2`, 'the login page leads on')
  t.equal(await goThrough(createBrowser(app), 'gitlab', { cancel: true }, '?next=//evil.example'), FAILED)
})
