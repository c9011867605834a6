import t from 'tap'
import type { RefreshClaims } from '../../../../plugins/sessions/tokens.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { repeatRefused } from '../../../support/repeat-refused.ts'

const UNAUTHORIZED = { error: 'Unauthorized', message: 'Sign in to continue.' }

async function signedIn (t: Parameters<typeof buildShared>[0], settings = {}) {
  const { app, owner, log } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const refreshToken = browser.cookies.get('refresh_token') as string
  const holderOf = (token: string) => {
    const holder = createBrowser(app)
    holder.cookies.set('refresh_token', token)
    return holder
  }
  const shift = (seconds: number) =>
    owner.query('UPDATE refresh_tokens SET rotated_at = rotated_at - make_interval(secs => $1)', [seconds])
  return { app, owner, log, user, browser, refreshToken, holderOf, shift }
}

t.test('POST /api/auth/refresh: replaces both cookies (200)', async t => {
  const { browser, user, refreshToken, owner } = await signedIn(t)
  const access = browser.cookies.get('access_token')
  const answer = await browser.refresh()
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { user: { id: user.id, username: user.username, email: user.email, name: null } })
  t.not(browser.cookies.get('refresh_token'), refreshToken)
  t.not(browser.cookies.get('access_token'), access)
  const { rows } = await owner.query('SELECT generation, revoked_at FROM refresh_tokens')
  t.strictSame(rows, [{ generation: 1, revoked_at: null }], 'one row for the session')
})

t.test('POST /api/auth/refresh: a signed token without its generation (401)', async t => {
  const { app, browser, refreshToken, holderOf } = await signedIn(t)
  const { gen: _, ...claims } = app.tokens.read(refreshToken, 'refresh') as RefreshClaims
  t.equal((await holderOf(app.tokens.sign(claims)).refresh()).statusCode, 401)
  t.equal((await browser.refresh()).statusCode, 200, 'the session lives on')
})

t.test('POST /api/auth/refresh: fifty at once with one token, one successor (200)', async t => {
  const { refreshToken, holderOf, owner } = await signedIn(t)
  const answers = await Promise.all(Array.from({ length: 50 }, () => repeatRefused(holderOf(refreshToken).refresh)))
  t.ok(
    answers.every(answer => answer.statusCode === 200),
    answers.map(answer => answer.statusCode).join()
  )
  const successors = new Set(
    answers.map(answer => answer.cookies.find(cookie => cookie.name === 'refresh_token')?.value)
  )
  t.equal(successors.size, 1)
  t.strictSame((await owner.query('SELECT generation FROM refresh_tokens')).rows, [{ generation: 1 }])
})

t.test('POST /api/auth/refresh: the parent token, same successor within 30 s (200), later reuse (401)', async t => {
  const { browser, refreshToken, holderOf, shift, owner } = await signedIn(t)
  await browser.refresh()
  const successor = browser.cookies.get('refresh_token') as string
  await shift(28)
  const again = await holderOf(refreshToken).refresh()
  t.equal(again.statusCode, 200)
  t.equal(again.cookies.find(cookie => cookie.name === 'refresh_token')?.value, successor, 'the identical token')

  await shift(3)
  const late = await holderOf(refreshToken).refresh()
  t.equal(late.statusCode, 401)
  t.strictSame(late.json(), UNAUTHORIZED)
  t.strictSame(
    late.cookies.map(({ name, value }) => [name, value]),
    [
      ['access_token', ''],
      ['refresh_token', ''],
    ],
    'cookies are cleared'
  )
  t.equal((await browser.refresh()).statusCode, 401, 'the live token is revoked, too')
  t.match((await owner.query("SELECT what FROM auth_events WHERE what = 'refresh_reuse'")).rows, [
    { what: 'refresh_reuse' },
  ])
})

t.test('POST /api/auth/refresh: a grandparent token ends the family, even within 30 s (401)', async t => {
  const { app, browser, refreshToken, holderOf, owner, user } = await signedIn(t)
  const other = createBrowser(app)
  await other.signIn(user.username)
  await browser.refresh()
  await browser.refresh()
  t.equal((await holderOf(refreshToken).refresh()).statusCode, 401)
  t.equal((await browser.refresh()).statusCode, 401)
  t.equal((await other.refresh()).statusCode, 200, 'another session of the same user stays alive')
  t.equal(
    (await owner.query('SELECT DISTINCT revoked_for FROM refresh_tokens WHERE revoked_at IS NOT NULL')).rows[0]
      .revoked_for,
    'reuse'
  )
})

t.test('POST /api/auth/refresh: fifty replays at once, one event (401)', async t => {
  const { browser, refreshToken, holderOf, owner, shift } = await signedIn(t)
  await browser.refresh()
  await shift(60)
  const answers = await Promise.all(Array.from({ length: 50 }, () => repeatRefused(holderOf(refreshToken).refresh)))
  t.ok(
    answers.every(answer => answer.statusCode === 401),
    answers.map(answer => answer.statusCode).join()
  )
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'refresh_reuse'")).rowCount, 1)
})

t.test('POST /api/auth/refresh: a revoked session, even in the grace period (401)', async t => {
  const { browser, refreshToken, holderOf } = await signedIn(t)
  await browser.refresh()
  const successor = browser.cookies.get('refresh_token') as string
  await browser.post('/logout')
  for (const token of [refreshToken, successor]) {
    const answer = await holderOf(token).refresh()
    t.equal(answer.statusCode, 401)
    t.equal(answer.headers['set-cookie'], undefined, 'only a reuse clears cookies')
  }
})

t.test('POST /api/auth/refresh: concurrent with a logout, the successor is useless (401)', async t => {
  const { browser, holderOf, app, owner, user, refreshToken } = await signedIn(t)
  for (let round = 0; round < 20; round++) {
    await browser.signIn((await owner.query('SELECT username FROM users')).rows[0].username)
    const token = browser.cookies.get('refresh_token') as string
    const racer = holderOf(token)
    const [, raced] = await Promise.all([browser.post('/logout'), racer.refresh()])
    t.match(raced.statusCode, /200|401/)
    if (raced.statusCode === 200) t.equal((await racer.refresh()).statusCode, 401, 'its successor is refused')
  }
  t.strictSame(await app.sessionsStore.live(user.id), [])
  t.equal((await holderOf(refreshToken).refresh()).statusCode, 401)
})

t.test('POST /api/auth/refresh: a session ends after SESSION_MAX_AGE (401)', async t => {
  const { browser } = await signedIn(t, { SESSION_MAX_AGE: '10' })
  const answer = await browser.refresh()
  const { maxAge } = answer.cookies.find(cookie => cookie.name === 'refresh_token') as { maxAge?: number }
  t.ok(maxAge && maxAge <= 10 * 24 * 3600 && maxAge > 10 * 24 * 3600 - 60)
})

t.test('POST /api/auth/refresh: a disabled or deleted user (401)', async t => {
  const { browser, holderOf, refreshToken, owner } = await signedIn(t)
  await owner.query('UPDATE users SET disabled_at = now()')
  t.equal((await browser.refresh()).statusCode, 401)
  await owner.query('DELETE FROM users')
  t.equal((await holderOf(refreshToken).refresh()).statusCode, 401)
})

t.test('POST /api/auth/refresh: no cookie, or not a refresh token (401)', async t => {
  const { browser, holderOf, app } = await signedIn(t)
  const BAD = ['', 'x', 'a.b.c', browser.cookies.get('access_token') as string]
  for (const value of BAD) {
    const answer = await holderOf(value).refresh()
    t.equal(answer.statusCode, 401)
    t.strictSame(answer.json(), UNAUTHORIZED)
  }
  t.equal((await createBrowser(app).refresh()).statusCode, 401)
})
