import t, { type Test } from 'tap'
import { createAuthenticator } from '../support/authenticator.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { buildSharedOperator } from '../support/operator.ts'
import { API, SESSION, setUpOperator } from '../support/operator-session.ts'
import { addPasskey, ORIGIN } from '../support/passkeys.ts'
import { eventually } from '../support/patience.ts'
import { addTotp, wrongCode } from '../support/second-factor.ts'

const OPERATOR_URL = `${ORIGIN}:8443`
const PLACES = { PUBLIC_URL: ORIGIN, OPERATOR_URL }

const setUp = (t: Test) => setUpOperator(t, PLACES, buildSharedOperator)

t.test('sign-in: password and code, a session cookie of its own, and changes in the name of the operator', async t => {
  const { owner, user, browser, signIn, change } = await setUp(t)
  const { first, second } = await signIn()
  t.match(first, { statusCode: 202 })
  t.strictSame(first.json(), { secondFactor: ['totp', 'recovery'] })
  t.strictSame(first.cookies.map(({ name, path }) => [name, path]), [['operator_login_step', '/operator']])
  t.equal(second.statusCode, 204)
  t.match(second.cookies.find(({ name }) => name === 'operator_session'), {
    path: '/operator', httpOnly: true, sameSite: 'Strict',
  })
  t.match((await browser.get(SESSION)).json(), { username: user.username, isFresh: true })
  t.equal((await browser.get(`${API}/users`)).statusCode, 200)

  const other = await createUser(owner)
  t.equal((await change('POST', `/users/${other.id}/disable`)).statusCode, 200)
  const { events } = (await browser.get(`${API}/events?user=${other.id}`)).json()
  t.match(events, [{ what: 'account_disabled', by: `operator ${user.username}` }])

  t.equal((await change('DELETE', '/session')).statusCode, 204)
  t.equal((await browser.get(SESSION)).statusCode, 401)
  const { rows } = await owner.query('SELECT FROM operator_sessions')
  t.strictSame(rows, [])
})

t.test('sign-in: wrong password (401), wrong code (401), no operator (403), no second factor (403)', async t => {
  const { app, owner, user, totp, browser } = await setUp(t)
  const login = (username: string, password = PASSWORD) => browser.post(SESSION, { username, password })
  t.equal((await login(user.username, 'wrong-Guess-77-again')).statusCode, 401)
  t.equal((await login(user.username)).statusCode, 202)
  t.equal((await browser.post(`${SESSION}/second-factor`, { code: wrongCode(totp.secret) })).statusCode, 401)
  t.notOk(browser.cookies.has('operator_session'))

  const stranger = await createUser(owner)
  await addTotp(owner, stranger.id)
  t.match((await login(stranger.username)).json(), { error: 'Not an operator' })
  const bare = await createUser(owner)
  await app.operators.add(bare.id)
  const refused = await login(bare.username)
  t.match(refused, { statusCode: 403 })
  t.match(refused.json(), { error: 'Second factor required', message: /dashboard, add a passkey or an authenticator/ })
  t.notOk(browser.cookies.has('operator_session'))
})

t.test('sign-in: a recovery code once (204, then 401), with its event and mail', async t => {
  const { owner, user, totp: { recoveryCodes: [code] }, browser } = await setUp(t)
  const login = () => browser.post(SESSION, { username: user.username, password: PASSWORD })
  await login()
  t.equal((await browser.post(`${SESSION}/second-factor`, { code })).statusCode, 204)
  t.equal((await browser.get(SESSION)).statusCode, 200)
  const used = "SELECT FROM auth_events WHERE user_id = $1 AND what = 'recovery_code_used'"
  t.equal((await owner.query(used, [user.id])).rowCount, 1)
  const queued = "SELECT FROM pgboss.job WHERE name = 'mail' AND data->>'change' = 'recovery_code_used'"
  t.equal((await owner.query(queued)).rowCount, 1)
  await login()
  t.equal((await browser.post(`${SESSION}/second-factor`, { code })).statusCode, 401)
})

t.test('a public session or login step is none here, and the other way round (401)', async t => {
  const { app, operator, user, totp, browser, signIn } = await setUp(t)
  const visitor = createBrowser(app)
  t.equal((await visitor.signIn(user.username)).statusCode, 202)
  const here = createBrowser(operator)
  here.cookies.set('operator_login_step', visitor.cookies.get('login_step') as string)
  t.equal((await here.post(`${SESSION}/second-factor`, { code: await totp.freshCode() })).statusCode, 401)
  await visitor.post('/login/second-factor', { code: await totp.freshCode() })
  for (const [name, value] of visitor.cookies) here.cookies.set(name, value)
  here.cookies.set('operator_session', visitor.cookies.get('access_token') as string)
  t.equal((await here.get(`${API}/users`)).statusCode, 401)

  await signIn()
  const there = createBrowser(app)
  for (const [name, value] of browser.cookies) there.cookies.set(name, value)
  there.cookies.set('access_token', browser.cookies.get('operator_session') as string)
  t.equal((await there.get('/api/auth/account')).statusCode, 401)
})

t.test('CSRF: a change without the token of this session, or from another site (403)', async t => {
  const { owner, operator, user, totp, browser, signIn } = await setUp(t)
  await signIn()
  const other = await createUser(owner)
  const url = `${API}/users/${other.id}/disable`
  const mine = (await browser.get(SESSION)).json().csrfToken
  const second = createBrowser(operator)
  await second.post(SESSION, { username: user.username, password: PASSWORD })
  await second.post(`${SESSION}/second-factor`, { code: await totp.freshCode() })
  const foreign = (await second.get(SESSION)).json().csrfToken
  const guesses: Array<Record<string, string>> = [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': foreign }]
  for (const headers of guesses) {
    t.equal((await browser.send('POST', url, undefined, headers)).statusCode, 403, JSON.stringify(headers))
  }
  const crossSite = { 'x-csrf-token': mine, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  t.equal((await browser.send('POST', url, undefined, crossSite)).statusCode, 403)
  const { rows } = await owner.query('SELECT disabled_at FROM users WHERE id = $1', [other.id])
  t.strictSame(rows, [{ disabled_at: null }])
  t.equal((await browser.send('POST', url, undefined, { 'x-csrf-token': mine })).statusCode, 200)
})

t.test('fresh proof: a change needs one of the last ten minutes (403), and a code gives it (204)', async t => {
  const { owner, totp, browser, signIn, change } = await setUp(t)
  await signIn()
  const other = await createUser(owner)
  await owner.query("UPDATE operator_sessions SET proved_at = now() - interval '11 minutes'")
  t.equal((await browser.get(`${API}/users`)).statusCode, 200)
  const refused = await change('POST', `/users/${other.id}/disable`)
  t.match(refused.json(), { error: 'Confirm it is you', methods: ['totp', 'recovery'] })
  t.equal((await change('POST', '/session/confirm', { code: wrongCode(totp.secret) })).statusCode, 403)
  t.equal((await change('POST', `/users/${other.id}/disable`)).statusCode, 403)
  t.equal((await change('POST', '/session/confirm', { code: await totp.freshCode() })).statusCode, 204)
  t.equal((await change('POST', `/users/${other.id}/disable`)).statusCode, 200)
})

t.test('fresh proof: a copy of the cookie from before gets nothing (401); of two proofs at once, one', async t => {
  const { owner, operator, totp, browser, signIn, change } = await setUp(t)
  await signIn()
  const other = await createUser(owner)
  await owner.query("UPDATE operator_sessions SET proved_at = now() - interval '11 minutes'")
  const { csrfToken } = (await browser.get(SESSION)).json()
  const thief = createBrowser(operator)
  const stolen = browser.cookies.get('operator_session') as string
  thief.cookies.set('operator_session', stolen)
  t.equal((await change('POST', '/session/confirm', { code: await totp.freshCode() })).statusCode, 204)
  t.not(browser.cookies.get('operator_session'), stolen)
  t.equal((await thief.get(SESSION)).statusCode, 401)
  const asThief = await thief.send('POST', `${API}/users/${other.id}/disable`, undefined, { 'x-csrf-token': csrfToken })
  t.equal(asThief.statusCode, 401)
  t.equal((await change('POST', `/users/${other.id}/disable`)).statusCode, 200)

  const token = (await browser.get(SESSION)).json().csrfToken
  const tab = createBrowser(operator)
  tab.cookies.set('operator_session', browser.cookies.get('operator_session') as string)
  const confirm = (from: typeof browser, code: string) =>
    from.send('POST', `${SESSION}/confirm`, { code }, { 'x-csrf-token': token })
  const codes = totp.recoveryCodes as [string, string]
  const both = await Promise.all([confirm(browser, codes[0]), confirm(tab, codes[1])])
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [204, 401])
})

t.test('a session ends: idle, too old, no operator, disabled or deleted, factors or password changed', async t => {
  const { app, owner, user, totp, browser, signIn } = await setUp(t)
  const status = async () => (await browser.get(`${API}/users`)).statusCode
  const ends: Array<[string, () => Promise<unknown>]> = [
    ['idle', () => owner.query("UPDATE operator_sessions SET last_used_at = now() - interval '31 minutes'")],
    ['too old', () => owner.query('UPDATE operator_sessions SET expires_at = now()')],
    ['all sessions ended', async () => {
      const found = await app.users.findById(user.id)
      if (found) await app.administration.endSessions(found)
    }],
    ['factors changed', () => owner.query('UPDATE users SET factors_version = factors_version + 1')],
    ['factors replaced', async () => {
      const visitor = createBrowser(app)
      await visitor.signIn(user.username)
      await visitor.post('/login/second-factor', { code: await totp.freshCode() })
      t.equal((await visitor.guarded('POST', '/api/auth/factors/recovery-codes')).statusCode, 200)
    }],
    ['password changed', async () => {
      const found = await app.users.findById(user.id)
      if (found) await app.administration.setPassword(found, found.passwordHash as string)
    }],
    ['disabled', () => owner.query('UPDATE users SET disabled_at = now()')],
  ]
  for (const [name, end] of ends) {
    await signIn()
    t.equal(await status(), 200, name)
    await end()
    t.equal(await status(), 401, name)
  }
  await owner.query('UPDATE users SET disabled_at = NULL')
  await signIn()
  t.equal(await status(), 200)
  t.equal(await app.operators.remove(user.id), true)
  t.equal(await status(), 401)
  t.equal((await signIn()).first.statusCode, 403)
  await app.operators.add(user.id)
  t.equal(await status(), 401, 'an operator again: the session stays ended')
  await signIn()
  t.equal(await status(), 200)
  const found = await app.users.findById(user.id)
  if (found) await app.administration.remove(found)
  t.equal(await status(), 401, 'deleted')
  t.equal((await owner.query('SELECT FROM operator_sessions')).rowCount, 0)
})

t.test('sign-in: an operator who waits to be confirmed after a restore: refused with the reason (403)', async t => {
  const { log, owner, user, signIn } = await setUp(t)
  await owner.query('DELETE FROM operators')
  await owner.query('INSERT INTO suspended_operators (user_id) VALUES ($1)', [user.id])
  const { first } = await signIn()
  t.match(first.json(), { error: 'Operator suspended', message: /gatehouse restored confirm/ })
  t.match(log.text, new RegExp(`"userId":"${user.id}".*waits to be confirmed after a restore`))
})

t.test('sign-in: the password changes while the second factor is checked: no session opens (401)', async t => {
  const { app, owner, user, totp, browser } = await setUp(t)
  t.equal((await browser.post(SESSION, { username: user.username, password: PASSWORD })).statusCode, 202)
  const code = await totp.freshCode()
  const change = await owner.connect()
  t.teardown(() => change.release())
  await change.query('BEGIN')
  const { rows: [{ pid }] } = await change.query('SELECT pg_backend_pid() AS pid')
  await change.query('UPDATE users SET password_hash = $2 WHERE id = $1', [user.id, await app.passwords.hash('other')])
  await change.query('DELETE FROM operator_sessions WHERE user_id = $1', [user.id])
  let hasAnswered = false
  const answer = browser.post(`${SESSION}/second-factor`, { code }).finally(() => { hasAnswered = true })
  const isBlocked = async () =>
    (await owner.query('SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [pid])).rowCount === 1
  await eventually(async () => hasAnswered || await isBlocked(), Boolean)
  await change.query('COMMIT')
  t.equal((await answer).statusCode, 401)
  t.notOk(browser.cookies.has('operator_session'))
  t.equal((await owner.query('SELECT FROM operator_sessions')).rowCount, 0)
})

t.test('a session that opens while the right is taken away stays ended when the right is given again', async t => {
  const { app, owner, user, browser, signIn } = await setUp(t)
  await signIn()
  await owner.query('DELETE FROM operators WHERE user_id = $1', [user.id])
  t.equal((await browser.get(SESSION)).statusCode, 401)
  await app.operators.add(user.id)
  t.equal((await browser.get(SESSION)).statusCode, 401)
  await signIn()
  t.equal((await browser.get(SESSION)).statusCode, 200)
})

t.test('sign-in with a passkey: of the page of operators (204), not one that another page got (401)', async t => {
  const { app, operator, owner } = await buildSharedOperator(t, { settings: { ...NO_LIMITS, ...PLACES } })
  const user = await createUser(owner)
  await app.operators.add(user.id)
  const visitor = createBrowser(app)
  await visitor.signIn(user.username)
  const authenticator = createAuthenticator(ORIGIN)
  await addPasskey(visitor, authenticator)

  const browser = createBrowser(operator)
  const signIn = async (fault = {}) => {
    const options = (await browser.post(`${SESSION}/passkey/options`)).json()
    return browser.post(`${SESSION}/passkey`, { response: authenticator.get(options, fault) })
  }
  t.equal((await signIn()).statusCode, 401, 'made on a page of the public port')
  t.equal((await signIn({ origin: OPERATOR_URL })).statusCode, 204)
  const options = (await visitor.post('/login/passkey/options')).json()
  const response = authenticator.get(options, { origin: OPERATOR_URL })
  t.equal((await visitor.post('/login/passkey', { response })).statusCode, 401, 'and not the other way round')
  t.equal((await browser.get(`${API}/users`)).statusCode, 200)
  await app.operators.remove(user.id)
  t.equal((await signIn({ origin: OPERATOR_URL })).statusCode, 403)
})
