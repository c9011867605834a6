import t from 'tap'
import { createBrowser, createUser, hashOf, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { Unavailable } from '../../../src/errors.ts'
import { build, buildShared, createDatabase } from '../../support/build.ts'

/** One service for what cannot be tested with the defaults. */
const OTHER = { EMAIL_VERIFICATION: 'off', BCRYPT_COST: '5' }
const REFUSED = { error: 'Invalid credentials', message: 'Username or password is incorrect.' }

t.test('POST /login: username and password (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner, { name: 'Ada' })
  const browser = createBrowser(app)
  const answer = await browser.signIn(user.username)
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { user: { id: user.id, username: user.username, email: user.email, name: 'Ada' } })

  const { rows } = await owner.query(
    'SELECT user_id, host(ip) AS ip, user_agent, expires_at - issued_at AS lifetime FROM refresh_tokens'
  )
  t.match(rows, [{ user_id: user.id, ip: browser.address, user_agent: /Firefox/, lifetime: { days: 30 } }])
  t.match((await owner.query('SELECT what, user_id, host(ip) AS ip FROM auth_events')).rows, [
    { what: 'sign_in', user_id: user.id, ip: browser.address },
  ])
})

t.test('POST /login: by email, in any case (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner, { username: 'Mixed.Case' })
  for (const login of [user.email, user.email.toUpperCase(), 'mixed.case', 'MIXED.CASE']) {
    t.equal((await createBrowser(app).signIn(login)).statusCode, 200, login)
  }
})

for (const [production, line] of [
  [false, ''],
  [true, ' Secure;'],
] as const) {
  t.test(`POST /login: exact cookies ${production ? 'in production' : 'not in production'}`, async t => {
    const settings: Record<string, string> = production
      ? {
          NODE_ENV: 'production',
          PUBLIC_URL: 'https://auth.example.com',
          REDIS_URL: 'redis://127.0.0.1:1',
          SMTP_URL: 'smtp://127.0.0.1:1',
        }
      : {}
    const { app, owner } = await buildShared(t, { settings })
    const user = await createUser(owner)
    const browser = createBrowser(app)
    const answer = await browser.signIn(user.username)
    const lines = (answer.headers['set-cookie'] as string[]).filter(each => each.includes('_token='))
    t.equal(lines.length, 2)
    t.match(
      lines[0],
      new RegExp(`^access_token=[\\w-]+\\.[\\w-]+\\.[\\w-]+; Max-Age=900; Path=/; HttpOnly;${line} SameSite=Strict$`)
    )
    t.match(
      lines[1],
      new RegExp(
        `^refresh_token=[\\w-]+\\.[\\w-]+\\.[\\w-]+; Max-Age=2592000; Path=/; HttpOnly;${line} SameSite=Strict$`
      )
    )
    t.notMatch(answer.body, browser.cookies.get('refresh_token'))

    const left = await browser.post('/logout')
    const cleared = (left.headers['set-cookie'] as string[]).filter(each => each.includes('_token='))
    for (const [index, name] of ['access_token', 'refresh_token'].entries()) {
      t.match(
        cleared[index],
        new RegExp(
          `^${name}=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly;${line} SameSite=Strict$`
        )
      )
    }
  })
}

t.test('POST /login: one response for every cause, and an event (401)', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const social = await createUser(owner, {
    username: 'social',
    password_hash: null,
    provider: 'provider_a',
    provider_a_id: '1',
  })
  const disabled = await createUser(owner, { disabled_at: new Date() })
  const unverified = await createUser(owner, { email_verified_at: null })
  const good = await createUser(owner)
  const CAUSES: Array<[cause: string, login: string, password: string]> = [
    ['unknown', 'nobody', PASSWORD],
    ['unknown email', 'nobody@example.com', PASSWORD],
    ['wrong', good.username, `${PASSWORD}x`],
    ['wrong case', good.username, PASSWORD.toUpperCase()],
    ['trimmed', good.username, ` ${PASSWORD}`],
    ['social-only', social.username, PASSWORD],
    ['social-only by email', social.email, PASSWORD],
    ['disabled', disabled.username, PASSWORD],
    ['unverified', unverified.username, PASSWORD],
    ['over 72 bytes', good.username, PASSWORD + 'x'.repeat(72)],
    ['lone surrogate', good.username, '\ud800'],
  ]
  const expected = await createBrowser(app).signIn('nobody')
  for (const [cause, login, password] of CAUSES) {
    const answer = await createBrowser(app).signIn(login, password)
    t.equal(answer.statusCode, 401, cause)
    t.strictSame(answer.json(), REFUSED, cause)
    t.strictSame(Object.keys(answer.headers), Object.keys(expected.headers), cause)
    t.equal(answer.headers['set-cookie'], undefined, cause)
  }
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'sign_in_failed'")).rowCount, CAUSES.length + 1)
  t.equal((await owner.query('SELECT FROM refresh_tokens')).rowCount, 0)
})

t.test('POST /login: unverified account with EMAIL_VERIFICATION=off (200)', async t => {
  const { app, owner } = await buildShared(t, { settings: OTHER })
  const user = await createUser(owner, { email_verified_at: null })
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
})

t.test('POST /login: a hash of another cost is renewed (200)', async t => {
  const { app, owner } = await buildShared(t, { settings: OTHER })
  const user = await createUser(owner, { password_hash: await hashOf(PASSWORD, 4) })
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
  const {
    rows: [{ password_hash: renewed }],
  } = await owner.query('SELECT password_hash FROM users')
  t.match(renewed, /^\$2b\$05\$/)
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
  t.equal((await owner.query('SELECT password_hash FROM users')).rows[0].password_hash, renewed, 'only once')
})

t.test('POST /login: ends the previous session of this browser (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const old = createBrowser(app)
  old.cookies.set('refresh_token', browser.cookies.get('refresh_token') as string)
  await browser.signIn(user.username)
  t.equal((await old.refresh()).statusCode, 401)
  t.equal((await browser.refresh()).statusCode, 200)
})

t.test('POST /login: password changed during the check (401)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const { verify } = app.passwords
  t.teardown(() => { app.passwords.verify = verify })
  app.passwords.verify = async function (...args) {
    const correct = await verify(...args)
    await owner.query('UPDATE users SET password_hash = $1', [await hashOf('An0ther-password!')])
    return correct
  }
  const answer = await createBrowser(app).signIn(user.username)
  t.equal(answer.statusCode, 401)
  t.equal(answer.headers['set-cookie'], undefined)
  t.equal((await owner.query('SELECT FROM refresh_tokens')).rowCount, 0)
})

t.test('POST /login: not counted when the password cannot be checked (503)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app, { repeats: false })
  const { verify } = app.passwords
  t.teardown(() => { app.passwords.verify = verify })
  app.passwords.verify = async () => {
    throw new Unavailable()
  }
  for (let tried = 0; tried < 6; tried++) t.equal((await browser.signIn(user.username)).statusCode, 503)
  app.passwords.verify = verify
  t.equal((await browser.signIn(user.username)).statusCode, 200)
})

t.test('POST /login: counted when PostgreSQL is read-only (503, then 429)', async t => {
  const { owner, settings } = await createDatabase(t)
  const { username } = await createUser(owner)
  const {
    rows: [{ name }],
  } = await owner.query('SELECT current_database() AS name')
  await owner.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  const { app } = await build(t, { settings, withoutJobs: true })
  for (const password of [PASSWORD, 'wr0ng-Guess-in-the-dark!']) {
    const browser = createBrowser(app, { repeats: false })
    for (let guess = 0; guess < 5; guess++) t.equal((await browser.signIn(username, password)).statusCode, 503)
    t.equal((await browser.signIn(username, password)).statusCode, 429)
  }
})

t.test('POST /login: two at once during the renewal of the hash (200)', async t => {
  const { app, owner } = await buildShared(t, { settings: OTHER })
  const user = await createUser(owner, { password_hash: await hashOf(PASSWORD, 4) })
  const answers = await Promise.all([1, 2].map(() => createBrowser(app).signIn(user.username)))
  t.strictSame(
    answers.map(answer => answer.statusCode),
    [200, 200]
  )
})

t.test('POST /login: account deleted during the check (401)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const { verify } = app.passwords
  t.teardown(() => { app.passwords.verify = verify })
  app.passwords.verify = async function (...args) {
    await owner.query('DELETE FROM users')
    return verify(...args)
  }
  for (const password of [PASSWORD, 'wr0ng-Guess-in-the-dark!']) {
    t.equal((await createBrowser(app).signIn(user.username, password)).statusCode, 401)
  }
})
