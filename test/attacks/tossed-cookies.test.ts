import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'
import { LAYOUTS, TWO_HOSTS } from '../support/two-hosts.ts'

// A site on a sibling domain can add cookies to those of a victim; with a longer path they are sent first.
// Two access tokens: see test/schemas/bad-input.test.ts.

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner, log } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
  const [victim, attacker] = [createBrowser(app), createBrowser(app)]
  for (const [browser, username] of [
    [victim, 'victim'],
    [attacker, 'attacker'],
  ] as const) {
    await createUser(owner, { username })
    await browser.signIn(username)
  }
  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, cookie: string, headers = {}, payload?: object) =>
    app.inject({ method, url, payload, headers: { cookie, ...headers } })
  return { app, owner, log, victim, attacker, send }
}

const line = (browser: Browser, ...names: string[]) =>
  names.map(name => `${name}=${encodeURIComponent(browser.cookies.get(name) ?? '')}`).join('; ')
/** With two hosts, its name has a prefix. */
const refreshCookie = (browser: Browser) => [...browser.cookies.keys()].filter(name => name.endsWith('refresh_token'))
const csrf = async (browser: Browser) => (await browser.get('/api/csrf-token')).json().csrfToken as string

for (const [layout, settings] of LAYOUTS) {
  t.test(`POST /api/sensitive: CSRF cookie and token of the attacker, ${layout} (403)`, async t => {
    const { victim, attacker, send } = await setUp(t, settings)
    const tossed = await csrf(attacker)
    const own = await csrf(victim)
    const tokens = line(victim, 'access_token', ...refreshCookie(victim))
    const MIXES: Array<[what: string, status: number, cookie: string, token: string]> = [
      ['the cookie and token of the attacker', 403, `${line(attacker, '_csrf')}; ${tokens}`, tossed],
      [
        "the attacker's cookie before the victim's",
        403,
        `${line(attacker, '_csrf')}; ${tokens}; ${line(victim, '_csrf')}`,
        own,
      ],
      [
        "the attacker's cookie after the victim's",
        200,
        `${tokens}; ${line(victim, '_csrf')}; ${line(attacker, '_csrf')}`,
        own,
      ],
      ['an unsigned cookie', 403, `_csrf=${'x'.repeat(24)}; ${tokens}`, own],
      ['an empty cookie first', 403, `_csrf=; ${tokens}; ${line(victim, '_csrf')}`, own],
      [
        'the session of the attacker, with the token of the victim',
        // With two hosts, the session of the victim counts.
        settings.COOKIE_DOMAIN ? 200 : 403,
        `${line(attacker, 'access_token')}; ${tokens}; ${line(victim, '_csrf')}`,
        own,
      ],
    ]
    for (const [what, status, cookie, token] of MIXES) {
      t.equal((await send('POST', '/api/sensitive', cookie, { 'x-csrf-token': token })).statusCode, status, what)
    }
  })
}

t.test('POST /api/auth/refresh: of two cookies only the first is used', async t => {
  const { victim, attacker, send, owner } = await setUp(t)
  const both = await send(
    'POST',
    '/api/auth/refresh',
    `${line(attacker, 'refresh_token')}; ${line(victim, 'refresh_token', 'access_token')}`
  )
  t.match(both.json(), { user: { username: 'attacker' } })
  t.equal((await victim.refresh()).statusCode, 200, 'the victim is still signed in')
  const bad = await send('POST', '/api/auth/refresh', `refresh_token=x; ${line(victim, 'refresh_token')}`)
  t.equal(bad.statusCode, 401)
  t.equal(bad.headers['set-cookie'], undefined, 'an invalid token clears no cookies')
  t.equal((await victim.refresh()).statusCode, 200)
  t.equal((await owner.query('SELECT FROM refresh_tokens WHERE revoked_at IS NOT NULL')).rowCount, 0)
})

t.test('POST /login: with the cookies of another user, a separate new session (200)', async t => {
  const { app, victim, attacker } = await setUp(t)
  const fixed = line(attacker, 'access_token', 'refresh_token')
  const answer = await app.inject({
    method: 'POST',
    url: '/login',
    payload: { username: 'victim', password: 'tr0mbone-Under-glass!' },
    headers: { cookie: fixed },
  })
  t.match(answer.json(), { user: { username: 'victim' } })
  for (const { value } of answer.cookies) t.notOk(fixed.includes(value), 'new values')
  t.equal((await attacker.refresh()).statusCode, 401, 'the injected session has ended')
  t.equal((await victim.refresh()).statusCode, 200)
})

for (const [layout, settings] of LAYOUTS) {
  t.test(`GET /api/auth/me: malformed cookies, ${layout} (200 or 401)`, async t => {
    const { victim, send, log } = await setUp(t, settings)
    const good = line(victim, ...refreshCookie(victim), 'access_token')
    const ODD: Array<[what: string, status: number, cookie: string]> = [
      ['a hundred others', 200, `${Array.from({ length: 100 }, (_, index) => `tossed${index}=x`).join('; ')}; ${good}`],
      ['names of object properties', 200, `__proto__=x; constructor=x; toString=x; hasOwnProperty=x; ${good}`],
      ['__proto__ alone', 401, '__proto__=access_token'],
      ['no name', 200, `=x; ; ;; ${good}`],
      ['bad percent signs', 200, `x=%; y=%zz; ${good}`],
      ['the name in capitals', 401, good.replace('access_token', 'Access_Token')],
      ['an unknown prefix', 401, good.replace('access_token', '__Host-access_token')],
      ['a comma for a semicolon', 401, `x=y, ${line(victim, 'access_token')}`],
      ['quotes that do not end', 401, good.replace('access_token=', 'access_token="')],
      ['a token with a percent sign', 401, `${good}%`],
      ['a token with one more dot', 401, `${good}.`],
      ['attributes, as RFC 2109 had them', 200, `$Version=1; ${good}; $Path=/; $Domain=.example.com`],
    ]
    for (const [what, status, cookie] of ODD) {
      t.equal((await send('GET', '/api/auth/me', cookie)).statusCode, status, what)
    }
    t.strictSame(log.errors, [])
  })
}

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://auth.example.com',
  REDIS_URL: 'redis://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
  PROVIDER_A_CLIENT_ID: 'gatehouse',
  PROVIDER_A_CLIENT_SECRET: 'pr0vider-Secret',
  PROVIDER_A_AUTHORIZE_URL: 'https://provider.example/authorize',
  // Refuses connections: whether a code is exchanged shows in the events.
  PROVIDER_A_TOKEN_URL: 'https://127.0.0.1:1/token',
  PROVIDER_A_USERINFO_URL: 'https://127.0.0.1:1/userinfo',
}

t.test('GET /api/auth/provider-a/callback: planted cookies of a sign-in of the attacker, in production', async t => {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...PRODUCTION } })
  const start = await app.inject('/api/auth/provider-a?next=/chosen-by-the-attacker')
  const lines = start.headers['set-cookie'] as string[]
  t.equal(lines.length, 3)
  for (const each of lines) {
    t.match(
      each,
      /^__Host-provider_a_(state|verifier|transaction)=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/
    )
  }

  const state = new URL(String(start.headers.location)).searchParams.get('state')
  const failures = async () =>
    (await owner.query("SELECT FROM auth_events WHERE what = 'provider_sign_in_failed'")).rowCount
  const comeBack = async (nameOf: (name: string) => string) => {
    const cookie = start.cookies.map(({ name, value }) => `${nameOf(name)}=${encodeURIComponent(value)}`).join('; ')
    const url = `/api/auth/provider-a/callback?code=of-the-attacker&state=${state}`
    return app.inject({ url, headers: { cookie } })
  }
  // A sibling host can set every name except those with the prefix.
  const planted = await comeBack(name => name.replace('__Host-', ''))
  t.equal(planted.headers.location, '/login?error=provider_a_auth_failed')
  t.ok(planted.cookies.every(({ value }) => value === ''), 'no cookie is set')
  t.equal(await failures(), 0, 'no code is exchanged')
  const own = await comeBack(name => name)
  t.equal(await failures(), 1, 'with the names of this host the code is exchanged')
  const cleared = own.cookies.filter(({ value, path, secure }) => value === '' && path === '/' && secure)
  t.strictSame(cleared.map(({ name }) => name).sort(), start.cookies.map(({ name }) => name).sort())
})

t.test('two hosts: planted cookies sign nobody in or out', async t => {
  const { owner, victim, attacker, send } = await setUp(t, TWO_HOSTS)
  const access = `access_token=${attacker.cookies.get('access_token')}`
  // A sibling host can set every name except those with the prefix.
  const refresh = `refresh_token=${attacker.cookies.get('__Host-refresh_token')}`
  const bad = 'access_token=x; refresh_token=x'
  const own = () => line(victim, '__Host-refresh_token', 'access_token')
  const nameIn = (answer: Awaited<ReturnType<typeof send>>) => answer.json().user?.username

  for (const planted of [access, refresh, `${access}; ${refresh}`, bad]) {
    // With a longer path they come before those of the victim, otherwise before or after.
    for (const cookie of [`${planted}; ${own()}`, `${own()}; ${planted}`]) {
      t.equal(nameIn(await send('GET', '/api/auth/session', cookie)), 'victim')
    }
    const refreshed = await send('POST', '/api/auth/refresh', `${planted}; ${own()}`)
    t.equal(nameIn(refreshed), 'victim')
    for (const { name, value } of refreshed.cookies) if (value) victim.cookies.set(name, value)
    const replaced = `${planted}; ${line(victim, '__Host-refresh_token')}`
    t.match((await send('GET', '/api/auth/session', replaced)).json(), { user: null, renewable: true }, 'refreshes')

    const state = await send('GET', '/api/auth/session', planted)
    t.strictSame(state.json(), { user: null, expiresIn: 0, renewable: false }, 'nobody is signed in')
    t.equal((await send('GET', '/api/auth/me', planted)).statusCode, 401)
    const refused = await send('POST', '/api/auth/refresh', planted)
    t.strictSame([refused.statusCode, refused.cookies], [401, []])
  }

  const check = await send('GET', '/api/auth/verify', `${access}; ${line(victim, 'access_token')}`)
  t.equal(check.headers['x-auth-username'], 'victim', 'at the host of the app, the longer path does not count')
  t.equal((await owner.query('SELECT FROM refresh_tokens WHERE revoked_at IS NOT NULL')).rowCount, 0)
  await send('POST', '/logout', `${access}; ${refresh}; ${own()}`)
  t.equal((await attacker.refresh()).statusCode, 200, 'the session of the victim has ended')
  t.equal((await victim.refresh()).statusCode, 401)
})
