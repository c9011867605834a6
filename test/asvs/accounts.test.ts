import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { buildShared, secrets } from '../support/build.ts'
import { eventually } from '../support/patience.ts'

const HARBOUR = { ...NO_LIMITS, EMAIL_VERIFICATION: 'off', BRAND_NAME: 'Harbour' }

t.test('a new database has no default accounts (401)', async t => {
  // The first test of the service: its database is new.
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  t.equal((await owner.query('SELECT FROM users')).rowCount, 0)
  for (const name of ['admin', 'root', 'gatehouse', 'postgres', 'demo', 'test']) {
    for (const password of [name, 'password', 'correct-Horse-42-staple']) {
      t.equal((await createBrowser(app).signIn(name, password)).statusCode, 401)
    }
  }
})

t.test('POST /login: a five-year-old password needs no change (200)', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  await owner.query(
    "UPDATE users SET created_at = now() - interval '5 years', updated_at = now() - interval '5 years'"
  )
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
})

t.test('every sign-in gets unique random tokens', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const seen = new Set<string>()
  for (let each = 0; each < 5; each++) {
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    for (const name of ['access_token', 'refresh_token']) {
      const value = browser.cookies.get(name) as string
      const { jti, sid } = JSON.parse(Buffer.from(value.split('.')[1] as string, 'base64url').toString())
      t.match([jti, sid], [/^[0-9a-f-]{36}$/, /^[0-9a-f-]{36}$/])
      seen.add(value).add(jti)
    }
  }
  t.equal(seen.size, 20)
})

t.test('tokens hold only the id and the username of the user', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner, { name: 'Ada Lovelace' })).username)
  const claims = (name: string) =>
    Object.keys(
      JSON.parse(Buffer.from((browser.cookies.get(name) as string).split('.')[1] as string, 'base64url').toString())
    ).sort()
  t.strictSame(
    claims('access_token'),
    ['amr', 'auth_time', 'exp', 'iat', 'jti', 'sid', 'use', 'userId', 'username']
  )
  t.strictSame(claims('refresh_token'), ['auth_time', 'exp', 'gen', 'iat', 'jti', 'sid', 'use', 'userId', 'username'])
})

t.test('links have 256 random bits and are stored as hashes', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const { id } = await createUser(owner)
  const links = new Set<string>()
  for (let each = 0; each < 20; each++) links.add(await app.oneTimeTokens.issue(id, 'reset'))
  for (const link of links) secrets.add(link)
  t.equal(links.size, 20)
  t.ok([...links].every(link => Buffer.from(link, 'base64url').length === 32))
  const { rows } = await owner.query('SELECT token FROM one_time_tokens')
  t.strictSame(
    rows.map(({ token }) => token.length),
    [32],
    'the last one as SHA-256'
  )
  t.notOk(links.has(rows[0].token.toString('base64url')))
})

t.test('a reused username gives no access to the deleted account', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const first = createBrowser(app)
  const { id } = await createUser(owner, { username: 'taken', email: 'first@example.com' })
  await first.signIn('taken')
  const late = createBrowser(app)
  await late.signIn('taken')
  t.equal((await first.guarded('DELETE', '/api/auth/me', { password: PASSWORD })).statusCode, 204)
  const next = await createUser(owner, { username: 'taken', email: 'second@example.com' })
  t.not(next.id, id, 'another id')
  t.equal((await late.refresh()).statusCode, 401)
  // With an access token that has not expired.
  await eventually(() => late.get('/api/auth/sessions'), ({ statusCode }) => statusCode === 401)
})

t.test('POST /api/auth/refresh: session unused for 30 days (401)', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const browser = createBrowser(app)
  await browser.signIn((await createUser(owner)).username)
  const { iat, exp } = JSON.parse(
    Buffer.from((browser.cookies.get('refresh_token') as string).split('.')[1] as string, 'base64url').toString()
  )
  t.equal(exp - iat, 30 * 24 * 60 * 60)
  await owner.query('UPDATE refresh_tokens SET expires_at = now()')
  t.equal((await browser.refresh()).statusCode, 401)
  t.equal((await browser.guarded('DELETE', '/api/auth/sessions')).statusCode, 401, 'nor can it change anything')
})

t.test('password fields are masked and support password managers', async t => {
  const { app } = await buildShared(t, { settings: NO_LIMITS })
  const uses = []
  for (const page of ['/login', '/register', '/reset-password', '/dashboard']) {
    const { body } = await app.inject(page)
    t.notMatch(body, /onpaste/)
    for (const [field] of body.matchAll(/<input[^>]+name="(password|current)"[^>]*>/g)) {
      t.match(field, /type="password"/)
      uses.push(`${page} ${/autocomplete="([^"]+)"/.exec(field)?.[1]}`)
    }
  }
  t.strictSame(uses, [
    '/login current-password',
    '/register new-password',
    '/reset-password new-password',
    '/dashboard current-password',
    '/dashboard new-password',
    '/dashboard current-password',
    '/dashboard current-password',
  ])
})

t.test('POST /register, POST /login: a password of 64 characters (201, 200)', async t => {
  const { app } = await buildShared(t, { settings: HARBOUR })
  const password = 'Trombones under glass, 7 kettles, one violet umbrella and a goat'
  secrets.add(password)
  t.equal(password.length, 64)
  const browser = createBrowser(app)
  t.equal(
    (await browser.post('/register', { username: 'longwinded', email: 'long@example.com', password })).statusCode,
    201
  )
  t.equal((await browser.signIn('longwinded', password)).statusCode, 200)
  for (const other of [password.slice(0, -1), password.toLowerCase(), ` ${password}`]) {
    t.equal((await browser.signIn('longwinded', other)).statusCode, 401)
  }
})

t.test('POST /api/auth/password/check: BRAND_NAME in a password makes it weak', async t => {
  const check = async (settings: Record<string, string>) => {
    const { app } = await buildShared(t, { settings })
    return (await createBrowser(app).post('/api/auth/password/check', { password: 'Quovadrim1!' })).json()
  }
  t.match(await check(HARBOUR), { valid: true })
  t.match(await check({ ...HARBOUR, BRAND_NAME: 'Quovadrim' }), { valid: false, isStrong: false })
})
