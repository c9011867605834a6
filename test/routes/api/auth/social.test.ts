import t, { type Test } from 'tap'
import { MISBEHAVIOURS_OF_A, MISBEHAVIOURS_OF_B, type Misbehaviour } from '../../../../demo/misbehaviour.ts'
import { startProviderA } from '../../../../demo/provider-a.ts'
import { startProviderB } from '../../../../demo/provider-b.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../../support/browser.ts'
import { build, buildShared, secrets, SERVICE_PASSWORD, startOwnPostgres, TEMPLATE } from '../../../support/build.ts'
import { signInAtProvider } from '../../../support/person.ts'
import { eventually } from '../../../support/patience.ts'

const HOME = 'http://gatehouse.test'
const A = { path: '/api/auth/provider-a', failed: '/login?error=provider_a_auth_failed' }
const B = { path: '/api/auth/provider-b', failed: '/login?error=provider_b_auth_failed' }
type Way = typeof A

const register = (path: string) => ({
  clientId: 'gatehouse',
  clientSecret: 'pr0vider-Secret',
  redirectUri: `${HOME}${path}/callback`,
})
secrets.add('pr0vider-Secret')
const a = await startProviderA(register(A.path))
const b = await startProviderB(register(B.path))
t.teardown(() => Promise.all([a.stop(), b.stop()]))

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const all = { ...NO_LIMITS, ...a.settings, ...b.settings, PUBLIC_URL: HOME, ...settings }
  const built = await (settings.DATABASE_URL ? build : buildShared)(t, { settings: all })
  const before = a.exchanges + b.exchanges
  const exchanges = () => a.exchanges + b.exchanges - before
  return { ...built, exchanges, browser: createBrowser(built.app) }
}

/** Accounts without a verified address. Of this cost, a flood of logins waits for the hashing. */
const UNVERIFIED = { EMAIL_VERIFICATION: 'off', BCRYPT_COST: '8' }

type Choice = Parameters<typeof signInAtProvider>[1]

/** Starts a sign-in, completes it at the provider, and returns the callback URL. */
async function comeBackFrom (browser: Browser, { path }: Way, choice?: Choice, query = ''): Promise<string> {
  const start = await browser.get(path + query)
  if (start.statusCode !== 302) throw new Error(`${path}: ${start.statusCode} ${start.body}`)
  const back = await signInAtProvider(String(start.headers.location), choice)
  for (const name of ['code', 'state']) {
    const value = back.searchParams.get(name)
    if (value) secrets.add(value)
  }
  return back.pathname + back.search
}

const signInThrough = async (browser: Browser, way: Way, choice?: Choice) =>
  browser.get(await comeBackFrom(browser, way, choice))
const tokensIn = (browser: Browser) => [...browser.cookies.keys()].filter(name => name.endsWith('_token'))

t.test('GET /api/auth/provider-a: to the provider, with scopes, PKCE and a cookie (302)', async t => {
  const { browser } = await setUp(t)
  const answer = await browser.get(A.path)
  t.equal(answer.statusCode, 302)
  const url = new URL(String(answer.headers.location))
  t.equal(url.origin + url.pathname, `${a.url}/auth`)
  t.match(Object.fromEntries(url.searchParams), {
    response_type: 'code',
    client_id: 'gatehouse',
    scope: 'profile email',
    redirect_uri: `${HOME}${A.path}/callback`,
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{22,}$/,
  })
  const lines = answer.headers['set-cookie'] as string[]
  t.strictSame(
    lines.map(line => line.replace(/=[^;]+;/, ';')),
    ['state', 'verifier', 'transaction'].map(
      part => `provider_a_${part}; Max-Age=600; Path=/api/auth/provider-a; HttpOnly; SameSite=Lax`
    )
  )
})

t.test('GET /api/auth/provider-b: to the provider, with user:email (302)', async t => {
  const { browser, owner } = await setUp(t)
  const url = new URL(String((await browser.get(B.path)).headers.location))
  t.equal(url.origin, b.url)
  for (const table of ['users', 'refresh_tokens', 'auth_events']) {
    t.equal((await owner.query(`SELECT FROM ${table}`)).rowCount, 0, 'no server session')
  }
  t.match(Object.fromEntries(url.searchParams), { scope: 'user:email', code_challenge_method: 'S256' })
})

for (const [way, person, row] of [
  [
    A,
    { name: 'Ada Lovelace', email: 'Ada.L@example.org' },
    {
      username: 'Ada.L',
      email: 'Ada.L@example.org',
      name: 'Ada Lovelace',
      provider: 'provider_a',
      provider_a_id: /./,
      provider_b_id: null,
    },
  ],
  [
    B,
    { id: 4711, login: 'ada-hub', name: 'Ada Lovelace', email: 'ada@example.org' },
    {
      username: 'ada-hub',
      email: 'ada@example.org',
      name: 'Ada Lovelace',
      provider: 'provider_b',
      provider_a_id: null,
      provider_b_id: '4711',
    },
  ],
] as const) {
  t.test(`GET ${way.path}/callback: a new user, then the same again (302)`, async t => {
    const { browser, owner, app } = await setUp(t)
    const answer = await signInThrough(browser, way, { as: person })
    t.equal(answer.statusCode, 302)
    t.equal(answer.headers.location, '/dashboard')
    t.strictSame(tokensIn(browser), ['access_token', 'refresh_token'])
    t.equal((await browser.get('/api/auth/me')).statusCode, 200)
    const { rows } = await owner.query('SELECT * FROM users')
    t.match(rows, [{ ...row, password_hash: null, email_verified_at: Date }])
    const {
      rows: [token],
    } = await owner.query(
      'SELECT user_id, host(ip) AS ip, user_agent, expires_at - issued_at AS lifetime FROM refresh_tokens'
    )
    t.match(token, { user_id: rows[0].id, ip: browser.address, user_agent: /Firefox/, lifetime: { days: 30 } })

    const again = createBrowser(app)
    t.equal((await signInThrough(again, way, { as: person })).headers.location, '/dashboard')
    t.equal((await owner.query('SELECT FROM users')).rowCount, 1)
    t.equal((await createBrowser(app).signIn(rows[0].email)).statusCode, 401, 'the account has no password')
  })
}

const NO_EMAIL = '&error_description=No+email+came+from+the+provider'
const DESCRIBED: Misbehaviour[] = ['no-email', 'unverified-email']
const HARMLESS: Misbehaviour[] = ['email-only-in-list', 'private-email']

for (const [way, misbehaviours] of [
  [A, MISBEHAVIOURS_OF_A],
  [B, MISBEHAVIOURS_OF_B],
] as const) {
  t.test(`GET ${way.path}/callback: provider misbehaves, back to /login (302)`, async t => {
    const { app, owner } = await setUp(t)
    const failing = (Object.keys(misbehaviours) as Misbehaviour[]).filter(each => !HARMLESS.includes(each))
    await Promise.all(failing.map(async misbehaviour => {
      const browser = createBrowser(app)
      const answer = await signInThrough(browser, way, { misbehaviour })
      t.equal(answer.statusCode, 302, misbehaviour)
      t.equal(
        answer.headers.location,
        way.failed + (DESCRIBED.includes(misbehaviour) ? NO_EMAIL : ''),
        misbehaviour
      )
      t.strictSame(tokensIn(browser), [], misbehaviour)
    }))
    t.equal((await owner.query('SELECT FROM users')).rowCount, 0)
    t.equal((await owner.query('SELECT FROM refresh_tokens')).rowCount, 0)
    t.equal(
      (await owner.query("SELECT FROM auth_events WHERE what = 'provider_sign_in_failed'")).rowCount,
      failing.filter(misbehaviour => misbehaviour !== 'wrong-state').length,
      'an event for each, except for a state that the browser never got'
    )
  })
}

for (const misbehaviour of HARMLESS) {
  t.test(`GET ${B.path}/callback: ${misbehaviour} is tolerated (302)`, async t => {
    const { browser, owner } = await setUp(t)
    t.equal((await signInThrough(browser, B, { misbehaviour })).headers.location, '/dashboard')
    t.match((await owner.query('SELECT email FROM users')).rows, [{ email: /@/ }])
  })
}

for (const way of [A, B]) {
  t.test(`GET ${way.path}/callback: cancelled, without a code, without a start, or malformed (302)`, async t => {
    const { browser, app } = await setUp(t)
    t.equal((await signInThrough(browser, way, { cancel: true })).headers.location, way.failed)
    for (const query of [
      '',
      '?code=x',
      '?state=x',
      '?code=x&state=y',
      '?error=access_denied',
      '?code=a&code=b&state=c',
      `?code=x&state=${'y'.repeat(600)}`,
      '?code=%00&state=%00',
    ]) {
      const answer = await createBrowser(app).get(`${way.path}/callback${query}`)
      t.equal(answer.statusCode, 302, query)
      t.equal(answer.headers.location, way.failed, query)
    }
  })

  t.test(`GET ${way.path}/callback: replayed or in another browser, one code exchange (302)`, async t => {
    const { app, browser, owner, exchanges } = await setUp(t)
    const back = await comeBackFrom(browser, way)
    const cookies = new Map(browser.cookies)
    t.equal((await createBrowser(app).get(back)).headers.location, way.failed, 'in another browser')

    const second = await comeBackFrom(browser, way)
    const kept = new Map(browser.cookies)
    t.equal((await browser.get(second)).headers.location, '/dashboard')
    t.equal((await browser.get(second)).headers.location, way.failed, 'the same URL again')
    for (const jar of [cookies, kept]) {
      const thief = createBrowser(app)
      for (const [name, value] of jar) if (name.startsWith('provider_')) thief.cookies.set(name, value)
      t.equal((await thief.get(second)).headers.location, way.failed, 'with its cookies')
    }
    t.equal(exchanges(), 1)
    t.equal((await owner.query('SELECT FROM refresh_tokens')).rowCount, 1)
  })

  t.test(`${way.path}: HEAD and prefetch do not use up the state`, async t => {
    const { app, browser } = await setUp(t)
    const back = await comeBackFrom(browser, way)
    t.equal((await browser.send('HEAD', back)).statusCode, 405)
    for (const [name, value] of [
      ['sec-purpose', 'prefetch'],
      ['purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
    ]) {
      t.equal((await browser.send('GET', back, undefined, { [name as string]: value as string })).statusCode, 204)
    }
    t.equal(
      (await browser.get(`${back}&something=new`)).headers.location,
      '/dashboard',
      'unknown fields are accepted'
    )
    t.equal((await createBrowser(app).send('HEAD', way.path)).statusCode, 405)
  })
}

t.test('callback: a wrong client secret, or a refusal: the log has what the provider said (302)', async t => {
  const { app, log } = await setUp(t, { PROVIDER_A_CLIENT_SECRET: 'an0ther-Secret', PROVIDER_B_CLIENT_SECRET: 'no' })
  for (const [way, said] of [
    [A, { error: 'invalid_client', error_description: /client authentication failed/ }],
    [B, { error: 'incorrect_client_credentials', error_description: /client_secret passed are incorrect/ }],
  ] as const) {
    const browser = createBrowser(app)
    await signInThrough(browser, way)
    t.match(log.lines.findLast(({ msg }) => msg === 'sign-in through a provider failed'), said)
    const { searchParams } = new URL(String((await browser.get(way.path)).headers.location))
    const state = searchParams.get('state')
    await browser.get(`${way.path}/callback?error=access_denied&error_description=Not%0Anow+${state}&state=${state}`)
    t.match(log.lines.findLast(({ msg }) => msg === 'sign-in through a provider failed'), {
      error: 'access_denied',
      error_description: 'Not now [Redacted]',
    })
  }
})

t.test('GET /api/auth/provider-b/callback: with the response of provider A (302)', async t => {
  const { browser, owner, exchanges } = await setUp(t)
  await browser.get(B.path)
  const back = await comeBackFrom(browser, A)
  t.equal((await browser.get(back.replace(A.path, B.path))).headers.location, B.failed)
  t.equal(exchanges(), 0)
  t.equal((await owner.query('SELECT FROM users')).rowCount, 0)
})

t.test('callback: a verified local account is linked and keeps password, username and sessions', async t => {
  const { app, browser, owner } = await setUp(t)
  const user = await createUser(owner, { username: 'ada', email: 'Ada@Example.org' })
  const before = createBrowser(app)
  await before.signIn('ada')
  for (const way of [A, B]) {
    t.equal(
      (await signInThrough(browser, way, { as: { email: 'ada@example.org', name: 'Other' } })).headers.location,
      '/dashboard'
    )
  }
  const { rows } = await owner.query('SELECT * FROM users')
  t.match(rows, [
    {
      id: user.id,
      username: 'ada',
      email: 'Ada@Example.org',
      provider: null,
      provider_a_id: /./,
      provider_b_id: /./,
    },
  ])
  t.equal((await before.refresh()).statusCode, 200)
  t.equal((await createBrowser(app).signIn('ada')).statusCode, 200)
})

t.test('callback: an account pre-registered by an attacker loses all access', async t => {
  const { app, browser, owner } = await setUp(t, UNVERIFIED)
  const attacker = createBrowser(app)
  await attacker.post('/register', { username: 'squatter', email: 'victim@example.org', password: PASSWORD })
  t.equal((await attacker.signIn('squatter')).statusCode, 200, 'the attacker is signed in')
  const {
    rows: [{ id }],
  } = await owner.query('SELECT id FROM users')
  const resetLink = await app.oneTimeTokens.issue(id, 'reset')
  secrets.add(resetLink)

  t.equal(
    (await signInThrough(browser, A, { as: { email: 'victim@example.org', name: 'Victim' } })).headers.location,
    '/dashboard'
  )
  t.equal((await attacker.refresh()).statusCode, 401, 'the old session')
  t.equal((await attacker.signIn('squatter')).statusCode, 401, 'the old password')
  t.equal(
    (await attacker.post('/reset-password/confirm', { token: resetLink, password: 'An0ther-harmonica!' })).statusCode,
    400,
    'the old link'
  )
  const { rows } = await owner.query('SELECT * FROM users')
  t.match(rows, [
    { username: 'victim', name: 'Victim', password_hash: null, provider: 'provider_a', email_verified_at: Date },
  ])
  t.not(rows[0].id, id, 'a new account')
  const { rows: events } = await owner.query('SELECT what, user_id FROM auth_events ORDER BY id')
  t.strictSame(
    events.map(event => [event.what, event.user_id]),
    [['account_deleted', null], ['registered', rows[0].id], ['sign_in', rows[0].id], ['sign_in_failed', null]],
    'nothing of the old account'
  )
})

t.test('callback: an access token of the pre-registered account gives no access', async t => {
  const { app, browser, owner } = await setUp(t, UNVERIFIED)
  const squatter = createBrowser(app)
  await squatter.post('/register', { username: 'squatter', email: 'victim@example.org', password: PASSWORD })
  await squatter.signIn('squatter')
  const { csrfToken } = (await squatter.get('/api/csrf-token')).json()
  await signInThrough(browser, A, { as: { email: 'victim@example.org', name: 'Victim' } })
  const { id } = (await browser.get('/api/auth/me')).json()

  const me = (await squatter.get('/api/auth/me')).json()
  t.not(me.id, id)
  t.ok([undefined, 'squatter'].includes(me.username), 'its own account, until the instance knows of its end')
  t.not((await squatter.get('/api/auth/verify')).headers['x-auth-user-id'], id)
  t.equal((await squatter.get('/api/auth/account')).statusCode, 401)
  for (const path of ['sessions', 'events']) {
    const answer = await squatter.get(`/api/auth/${path}`)
    t.notMatch(answer.body, browser.address, path)
    t.notMatch(answer.body, 'sign_in', path)
  }
  const [{ id: sid }] = (await browser.get('/api/auth/sessions')).json().sessions
  for (const [method, path] of [
    ['DELETE', `sessions/${sid}`],
    ['DELETE', 'sessions'],
    ['DELETE', 'me'],
    ['POST', 'password'],
  ] as const) {
    const headers = { 'x-csrf-token': csrfToken }
    t.equal((await squatter.send(method, `/api/auth/${path}`, {}, headers)).statusCode, 401, path)
  }
  await eventually(() => squatter.get('/api/auth/me'), ({ statusCode }) => statusCode === 401)
  t.equal((await browser.refresh()).statusCode, 200, 'the owner is signed in')
  t.equal((await owner.query('SELECT FROM users')).rowCount, 1)
})

/** As in a browser that comes back from another site: it sends no Strict cookies. */
async function comeBackWithoutTokens (browser: Browser, back: string) {
  for (const name of tokensIn(browser)) browser.cookies.delete(name)
  return browser.get(back)
}

t.test('callback: the session that the start presented is replaced', async t => {
  const { app, browser, owner } = await setUp(t)
  const as = { email: 'ada@example.org', name: 'Ada' }
  const elsewhere = createBrowser(app)
  for (const each of [elsewhere, browser]) await signInThrough(each, A, { as })
  const back = await comeBackFrom(browser, A, { as })
  t.equal((await comeBackWithoutTokens(browser, back)).headers.location, '/dashboard')
  const { rows } = await owner.query('SELECT revoked_for FROM refresh_tokens ORDER BY revoked_for')
  t.strictSame(rows.map(row => row.revoked_for), ['replaced', null, null])
  t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await elsewhere.refresh()).statusCode, 200, 'sessions of other browsers go on')
  t.notOk(browser.cookies.has('provider_a_transaction'), 'the cookie is cleared')
})

t.test('callback: the transaction cookie of another sign-in, or a forged one, is not used', async t => {
  const { app, browser, owner } = await setUp(t)
  const user = await createUser(owner)
  const victim = createBrowser(app)
  await victim.signIn(user.username)
  await comeBackFrom(victim, A, undefined, '?next=/other')
  const planted = victim.cookies.get('provider_a_transaction') as string
  const [, ...rest] = planted.split('.')

  for (const [what, value] of [
    ['of another sign-in', () => planted],
    ['with the id of this one', (own: string) => [own.split('.')[0], ...rest].join('.')],
    ['with the value of another signed cookie', () => browser.cookies.get('provider_a_state') as string],
    ['malformed', () => '....'],
  ] as const) {
    const back = await comeBackFrom(browser, A)
    browser.cookies.set('provider_a_transaction', value(browser.cookies.get('provider_a_transaction') as string))
    t.equal((await comeBackWithoutTokens(browser, back)).headers.location, '/dashboard', what)
  }
  t.equal((await victim.refresh()).statusCode, 200, 'the session of the victim goes on')
})

t.test('GET /api/auth/provider-a?next: the callback opens a local path, or else LOGIN_REDIRECT (302)', async t => {
  const { app } = await setUp(t, { LOGIN_REDIRECT: '/home', APP_ORIGINS: 'http://gatehouse.test:5173' })
  for (const [query, location] of [
    ['?next=http://gatehouse.test:5173/orders%3Fa%3Db', 'http://gatehouse.test:5173/orders?a=b'],
    ['?next=http://gatehouse.test:5173.evil.example/', '/home'],
    ['?next=http://gatehouse.test:5174/', '/home'],
    ['?next=/app%3Ftab%3D2%23part', '/app?tab=2#part'],
    ['?next=%2F%C3%A4', '/%C3%A4'],
    ['', '/home'],
    ['?next=', '/home'],
    ['?next=//evil.example', '/home'],
    ['?next=/%5Cevil.example', '/home'],
    ['?next=/%09/evil.example', '/home'],
    ['?next=/.//evil.example', '/home'],
    ['?next=https://evil.example', '/home'],
    ['?next=javascript:alert(1)', '/home'],
    ['?next=/x%0D%0ASet-Cookie:y=z', '/home'],
    ['?next=/login', '/home'],
    ['?next=/a&next=/b', '/home'],
    [`?next=/${'x'.repeat(512)}`, '/home'],
    [`?next=/${'%C3%A4'.repeat(250)}`, '/home'],
    [`?next=/${'x'.repeat(511)}`, `/${'x'.repeat(511)}`],
  ] as const) {
    const browser = createBrowser(app)
    const back = await comeBackFrom(browser, A, undefined, query)
    const cookie = browser.cookies.get('provider_a_transaction') as string
    t.ok(cookie.length < 900, 'small enough to go with every request')
    t.equal((await browser.get(back)).headers.location, location, query.slice(0, 60))
  }
})

t.test('callback: the same email with another provider id is refused', async t => {
  const { browser, owner, app } = await setUp(t)
  await signInThrough(browser, B, { as: { id: 1, login: 'ada', email: 'ada@example.org' } })
  const impostor = createBrowser(app)
  t.equal(
    (await signInThrough(impostor, B, { as: { id: 2, login: 'eve', email: 'ada@example.org' } })).headers.location,
    B.failed
  )
  t.strictSame(tokensIn(impostor), [])
  t.match((await owner.query('SELECT username, provider_b_id FROM users')).rows, [
    { username: 'ada', provider_b_id: '1' },
  ])
})

t.test('callback: a disabled account, by id and by email, is refused', async t => {
  const { browser, owner, app } = await setUp(t)
  await signInThrough(browser, A, { as: { email: 'ada@example.org' } })
  await owner.query('UPDATE users SET disabled_at = now()')
  for (const way of [A, B]) {
    t.equal(
      (await signInThrough(createBrowser(app), way, { as: { email: 'ada@example.org' } })).headers.location,
      way.failed
    )
  }
})

t.test('callback: fifty at once, one account for each user', async t => {
  const { app, owner } = await setUp(t)
  for (const [emailOf, accounts] of [
    [(index: number) => `person${index}@example.org`, 50],
    [() => 'same@example.org', 51],
  ] as const) {
    const people = Array.from({ length: 50 }, (_, index) => ({
      browser: createBrowser(app),
      way: index % 2 ? A : B,
      choice: { as: { email: emailOf(index), name: 'Many' } },
    }))
    const backs: string[] = []
    for (const { browser, way, choice } of people) backs.push(await comeBackFrom(browser, way, choice))
    const locations = await Promise.all(people.map(async function finish ({ browser, way, choice }, index) {
      // On a very busy machine a request may get a 503, after which users start again.
      const outages: unknown[] = ['/login?error=callback_failed', way.failed]
      let { location } = (await browser.get(backs[index] as string)).headers
      for (let attempt = 0; attempt < 10 && outages.includes(location); attempt++) {
        location = (await signInThrough(browser, way, choice)).headers.location
      }
      return location
    }))
    t.strictSame([...new Set(locations)], ['/dashboard'])
    t.equal((await owner.query('SELECT FROM users')).rowCount, accounts)
  }
})

t.test('callback: PostgreSQL down, to /login?error=callback_failed (302)', async t => {
  const postgres = await startOwnPostgres(t)
  const { browser } = await setUp(t, { DATABASE_URL: postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE) })
  const back = await comeBackFrom(browser, A)
  await postgres.stop()
  const answer = await browser.get(back)
  t.equal(answer.statusCode, 302)
  t.equal(answer.headers.location, '/login?error=callback_failed')
  t.strictSame(tokensIn(browser), [])
})

t.test('GET /api/auth/provider-a, -b: not configured, to the login page (302)', async t => {
  const { app } = await buildShared(t)
  for (const way of [A, B]) {
    for (const url of [way.path, `${way.path}/callback?code=x&state=y`]) {
      t.equal((await createBrowser(app).get(url)).headers.location, way.failed, url)
    }
  }
})

t.test('callback: not delayed by a flood of logins', async t => {
  const { app, browser, owner } = await setUp(t, UNVERIFIED)
  const user = await createUser(owner)
  const back = await comeBackFrom(browser, A)
  const flood = Array.from({ length: 30 }, () => createBrowser(app).signIn(user.username, 'wr0ng-Guess!'))
  const answer = await browser.get(back)
  t.equal(answer.headers.location, '/dashboard')
  await Promise.all(flood)
})

t.test('callback: without a start or replayed, no rows are written', async t => {
  const { app, browser, owner } = await setUp(t)
  const back = await comeBackFrom(browser, A)
  const kept = new Map(browser.cookies)
  await browser.get(back)
  const before = (await owner.query('SELECT FROM auth_events')).rowCount
  for (let each = 0; each < 20; each++) {
    await createBrowser(app).get(`${A.path}/callback?code=x&state=${each}`)
    const replayer = createBrowser(app)
    for (const [name, value] of kept) replayer.cookies.set(name, value)
    await replayer.get(back)
  }
  t.equal((await owner.query('SELECT FROM auth_events')).rowCount, before)
})
