import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../support/browser.ts'
import { buildShared, JWT_SECRET, secrets } from '../../../support/build.ts'
import { eventually } from '../../../support/patience.ts'
import { shareSmtp } from '../../../support/smtp.ts'

const UNAUTHORIZED = { error: 'Unauthorized', message: 'Sign in to continue.' }
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const sign = (header: object, claims: object, secret: string, hash = 'sha256') => {
  const content = `${encode(header)}.${encode(claims)}`
  return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`
}

/** A server that counts requests for a key. */
async function startElsewhere (t: Test) {
  const elsewhere = { url: '', visits: 0 }
  const server = createServer((_message, answer) => {
    elsewhere.visits++
    answer.end('{"keys":[]}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
  })
  elsewhere.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return elsewhere
}

t.test('GET /api/auth/me, GET /api/auth/verify: signed in (200, 204)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const me = await browser.get('/api/auth/me')
  t.equal(me.statusCode, 200)
  t.strictSame(Object.keys(me.json()), ['id', 'username', 'expiresAt'])
  t.match(me.json(), { id: user.id, username: user.username })
  const left = Date.parse(me.json().expiresAt) - Date.now()
  t.ok(left > 890_000 && left <= 900_000)

  const verify = await browser.get('/api/auth/verify')
  t.equal(verify.statusCode, 204)
  t.match(verify.headers, { 'x-auth-user-id': user.id, 'x-auth-username': user.username })
})

t.test('GET /api/auth/me, /verify: every other token, the same response (401)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const good = browser.cookies.get('access_token') as string
  const [header = '', payload = '', signature = ''] = good.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const HS256 = { alg: 'HS256', typ: 'JWT' }
  const elsewhere = await startElsewhere(t)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const link = await app.oneTimeTokens.issue(user.id, 'reset')
  secrets.add(link)
  const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))

  const FORGED: Record<string, string | undefined> = {
    missing: undefined,
    empty: '',
    'not a token': 'x.y.z',
    'refresh token': browser.cookies.get('refresh_token'),
    'alg none': `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'alg NONE with a signature': `${encode({ alg: 'NONE', typ: 'JWT' })}.${payload}.${signature}`,
    'HS512 with our secret': sign({ alg: 'HS512', typ: 'JWT' }, claims, JWT_SECRET, 'sha512'),
    'RS256 announced': sign({ alg: 'RS256', typ: 'JWT' }, claims, JWT_SECRET),
    'other secret': sign(HS256, claims, 'x'.repeat(64)),
    'no signature': `${header}.${payload}.`,
    'two parts': `${header}.${payload}`,
    'other claims under the old signature': `${header}.${encode({ ...claims, userId: '999' })}.${signature}`,
    expired: sign(HS256, { ...claims, exp: Math.floor(Date.now() / 1000) - 1 }, JWT_SECRET),
    'not yet valid': sign(HS256, { ...claims, nbf: Math.floor(Date.now() / 1000) + 3600 }, JWT_SECRET),
    'without exp': sign(HS256, without('exp'), JWT_SECRET),
    'without use': sign(HS256, without('use'), JWT_SECRET),
    'without sid': sign(HS256, without('sid'), JWT_SECRET),
    'array payload': sign(HS256, [claims], JWT_SECRET),
    'huge claims': sign(HS256, { ...claims, username: 'x'.repeat(8_000) }, 'x'.repeat(64)),
    'no alg': sign({ typ: 'JWT' }, claims, JWT_SECRET),
    'empty alg': sign({ alg: '', typ: 'JWT' }, claims, JWT_SECRET),
    'a list of algs': sign({ alg: ['HS256', 'none'], typ: 'JWT' }, claims, JWT_SECRET),
    'hs256 in lower case': sign({ alg: 'hs256', typ: 'JWT' }, claims, JWT_SECRET),
    'ES256 announced': sign({ alg: 'ES256', typ: 'JWT' }, claims, JWT_SECRET),
    'array header': sign([HS256], claims, JWT_SECRET),
    'empty secret': sign(HS256, claims, ''),
    'kid of an empty file, signed with an empty key': sign({ ...HS256, kid: '../../../../../../dev/null' }, claims, ''),
    'kid with SQL that supplies a key': sign({ ...HS256, kid: "x' UNION SELECT 'key' --" }, claims, 'key'),
    'kid of the refresh tokens, with another secret': sign({ ...HS256, kid: 'refresh' }, claims, 'x'.repeat(64)),
    'an embedded key': sign(
      { ...HS256, jwk: { kty: 'oct', k: Buffer.from('key').toString('base64url') } },
      claims,
      'key'
    ),
    'the URL of a key': sign(
      { ...HS256, jku: `${elsewhere.url}/jwks.json`, x5u: `${elsewhere.url}/key.pem`, kid: 'x' },
      claims,
      'key'
    ),
    'expired long ago': sign(HS256, { ...claims, exp: -1 }, JWT_SECRET),
    'exp as text': sign(HS256, { ...claims, exp: 'never' }, JWT_SECRET),
    'exp is null': sign(HS256, { ...claims, exp: null }, JWT_SECRET),
    'exp as a list': sign(HS256, { ...claims, exp: [claims.exp] }, JWT_SECRET),
    'another use': sign(HS256, { ...claims, use: ['access'] }, JWT_SECRET),
    'the CSRF token': csrfToken,
    'the CSRF cookie': browser.cookies.get('_csrf'),
    'the device cookie': browser.cookies.get('device'),
    'a link from a mail': link,
    'claims that are not JSON': `${header}.${Buffer.from('{').toString('base64url')}.${signature}`,
    'one more part': `${good}.${signature}`,
    'percent signs': '%00%ff',
    ...Object.fromEntries(
      [header, payload, signature].flatMap((part, index, parts) =>
        Array.from({ length: 8 }, (_, step) => {
          const at = Math.floor((step * (part.length - 1)) / 8)
          const flipped = `${part.slice(0, at)}${part[at] === 'A' ? 'B' : 'A'}${part.slice(at + 1)}`
          return [`letter ${at} of part ${index} changed`, parts.with(index, flipped).join('.')]
        })
      )
    ),
  }
  for (const url of ['/api/auth/me', '/api/auth/verify']) {
    for (const [what, token] of Object.entries(FORGED)) {
      const answer = await app.inject({ url, cookies: token === undefined ? {} : { access_token: token } })
      t.equal(answer.statusCode, 401, what)
      t.strictSame(answer.json(), UNAUTHORIZED, what)
    }
    const bearer = await app.inject({ url, headers: { authorization: `Bearer ${good}` } })
    t.equal(bearer.statusCode, 401, 'only the cookie counts')
  }
  t.equal(
    (await app.inject({ url: '/api/auth/me', cookies: { access_token: sign(HS256, claims, JWT_SECRET) } }))
      .statusCode,
    200,
    'a correctly signed token is accepted'
  )
  t.equal(elsewhere.visits, 0, 'no key is fetched')
})

t.test('PATCH /api/auth/me: a new name, with an event that does not have it (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner, { name: 'Ada Byron' })
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const eventsOf = async () =>
    (await owner.query("SELECT what, subject, actor FROM auth_events WHERE what = 'profile_changed'")).rows

  const answer = await browser.guarded('PATCH', '/api/auth/me', { name: 'Ada <i>King</i>' })
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), {
    user: { id: user.id, username: user.username, email: user.email, name: 'Ada <i>King</i>' },
    language: null,
    timeZone: null,
  })
  t.equal((await browser.get('/api/auth/account')).json().user.name, 'Ada <i>King</i>')
  t.strictSame(await eventsOf(), [{ what: 'profile_changed', subject: 'name', actor: null }])
  t.match((await browser.get('/api/auth/events')).json().events[0], { what: 'profile_changed' })

  const same = await browser.guarded('PATCH', '/api/auth/me', { name: 'Ada <i>King</i>' })
  t.equal(same.statusCode, 200)
  t.equal((await eventsOf()).length, 1, 'the same name is no change')

  t.equal((await browser.guarded('PATCH', '/api/auth/me', { name: null })).json().user.name, null)
  t.equal((await eventsOf()).length, 2)
})

t.test('PATCH /api/auth/me: language and time zone, one event with the names of what changed (200)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner, { name: 'Ada' })
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const wanted = { name: 'Ada', language: 'de', timeZone: 'europe/BERLIN' }
  const answer = await browser.guarded('PATCH', '/api/auth/me', wanted)
  t.match(answer.json(), { user: { name: 'Ada' }, language: 'de', timeZone: 'Europe/Berlin' })
  t.match((await browser.get('/api/auth/account')).json(), { language: 'de', timeZone: 'Europe/Berlin' })
  const removed = await browser.guarded('PATCH', '/api/auth/me', { timeZone: null })
  t.match(removed.json(), { language: 'de', timeZone: null })
  await browser.guarded('PUT', '/api/auth/language', { language: 'fr' })
  await browser.guarded('PUT', '/api/auth/language', { language: 'fr' })
  const { rows } = await owner.query("SELECT subject FROM auth_events WHERE what = 'profile_changed' ORDER BY id")
  t.strictSame(rows.map(({ subject }) => subject), ['language,timeZone', 'timeZone', 'language'])
  for (const timeZone of ['Mars/Olympus', '+01:00', '', 'Europe/Berlin\0', '../etc', 7]) {
    t.equal((await browser.guarded('PATCH', '/api/auth/me', { timeZone })).statusCode, 400, String(timeZone))
  }
  for (const timeZone of ['UTC', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5']) {
    t.match((await browser.guarded('PATCH', '/api/auth/me', { timeZone })).json(), { timeZone })
  }
  t.equal((await browser.guarded('PATCH', '/api/auth/me', { language: 'xx' })).statusCode, 400)
  t.equal((await browser.guarded('PATCH', '/api/auth/me', { externalId: 'x' })).statusCode, 400, 'for operators')
})

t.test('a sign-in brings the language of the account to pages, unless another was chosen there', async t => {
  const { app, owner } = await buildShared(t)
  const [ada, bob] = [await createUser(owner), await createUser(owner)]
  await owner.query("UPDATE users SET language = CASE WHEN id = $1 THEN 'de' ELSE 'fr' END", [ada.id])
  const browser = createBrowser(app)
  const pageLanguage = async (path = '/dashboard') => /<html lang="(..)"/.exec((await browser.get(path)).body)?.[1]
  t.equal(await pageLanguage(), 'en')
  await browser.signIn(ada.username)
  t.equal(await pageLanguage(), 'de')
  await browser.signIn(bob.username)
  t.equal(await pageLanguage(), 'fr', 'of the account that signed in last')
  t.equal((await owner.query('SELECT language FROM users WHERE id = $1', [bob.id])).rows[0].language, 'fr')
  t.equal(await pageLanguage('/dashboard?language=it'), 'it')
  await browser.signIn(ada.username)
  t.equal(await pageLanguage(), 'it', 'a choice stays')
  const { rows } = await owner.query(
    "SELECT user_id AS id, subject FROM auth_events WHERE what = 'profile_changed' ORDER BY id")
  t.strictSame(rows, [{ id: ada.id, subject: 'language' }], 'and becomes that of the account')
})

t.test('the language that was chosen last counts on every device, for pages and mails', async t => {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })
  const user = await createUser(owner)
  const [laptop, phone] = [createBrowser(app), createBrowser(app)]
  const pageLanguage = async (browser: typeof laptop) =>
    /<html lang="(..)"/.exec((await browser.get('/dashboard')).body)?.[1]
  const kept = async () => (await owner.query('SELECT language FROM users WHERE id = $1', [user.id])).rows[0].language
  await laptop.get('/login?language=it')
  await laptop.signIn(user.username)
  await phone.signIn(user.username)
  t.strictSame([await pageLanguage(laptop), await pageLanguage(phone), await kept()], ['it', 'it', 'it'])

  await phone.guarded('PATCH', '/api/auth/me', { language: 'de' })
  t.equal(await pageLanguage(phone), 'de')
  await laptop.signIn(user.username)
  t.strictSame([await pageLanguage(laptop), await kept()], ['de', 'de'], 'the former choice does not come back')
  await laptop.get('/dashboard?language=fr')
  await laptop.guarded('PUT', '/api/auth/language', { language: 'fr' })
  await phone.guarded('PATCH', '/api/auth/me', { language: 'nl' })
  await laptop.signIn(user.username)
  t.strictSame([await pageLanguage(laptop), await kept()], ['nl', 'nl'], 'nor one on the dashboard')

  await createBrowser(app).post('/reset-password', { email: user.email })
  const mail = await eventually(() => smtp.mails.find(({ token }) => token), Boolean)
  t.match(mail, { html: /<html lang="nl"/ })
  await phone.guarded('PATCH', '/api/auth/me', { language: null })
  t.strictSame([await pageLanguage(phone), await kept()], ['en', null], 'none: that of the browser')
})

t.test('PATCH /api/auth/me: the rules for a name are those of the registration (400)', async t => {
  const { app, owner } = await buildShared(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const NAMES: unknown[] = [
    'Ada', '\u{1d49c}da', 'A', 'x'.repeat(200), 'x'.repeat(201), '', 'two\nlines', 'nul\0', '\u007f', '\ud800',
    7, ['Ada'],
  ]
  for (const [index, name] of NAMES.entries()) {
    const account = { username: `name${index}`, email: `name${index}@example.com`, password: PASSWORD, name }
    const registered = await createBrowser(app).send('POST', '/register', account)
    const changed = await browser.guarded('PATCH', '/api/auth/me', { name })
    t.equal(changed.statusCode === 400, registered.statusCode === 400, JSON.stringify(name))
    t.equal(changed.statusCode, index < 4 ? 200 : 400, JSON.stringify(name))
  }
  for (const body of [{}, { name: 'Ada', username: 'root' }, { email: 'x@example.com' }, { name: 'Ada', id: '1' }]) {
    t.equal((await browser.guarded('PATCH', '/api/auth/me', body)).statusCode, 400, JSON.stringify(body))
  }
})

t.test('PATCH /api/auth/me: without a session (401), a CSRF token (403), or an account (401)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner, { name: 'Ada' })
  const browser = createBrowser(app)
  t.equal((await browser.send('PATCH', '/api/auth/me', { name: 'Eve' })).statusCode, 401)
  await browser.signIn(user.username)
  t.equal((await browser.send('PATCH', '/api/auth/me', { name: 'Eve' })).statusCode, 403)
  t.equal((await owner.query('SELECT name FROM users WHERE id = $1', [user.id])).rows[0].name, 'Ada')
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  // As in the moment before the instance knows that the session has ended.
  await owner.query('ALTER TABLE refresh_tokens DISABLE TRIGGER USER')
  await owner.query('DELETE FROM users WHERE id = $1', [user.id])
  await owner.query('ALTER TABLE refresh_tokens ENABLE TRIGGER USER')
  const gone = await browser.send('PATCH', '/api/auth/me', { name: 'Eve' }, { 'x-csrf-token': csrfToken })
  t.equal(gone.statusCode, 401)
})

t.test('DELETE /api/auth/me: deletes everything of the account (204)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const other = createBrowser(app)
  await other.signIn(user.username)
  t.equal((await browser.guarded('DELETE', '/api/auth/me', { password: `${PASSWORD}x` })).statusCode, 403)
  t.equal((await browser.guarded('DELETE', '/api/auth/me', {})).statusCode, 403)
  t.equal(
    (await browser.send('DELETE', '/api/auth/me', { password: PASSWORD })).statusCode,
    403,
    'without a CSRF token'
  )
  t.equal((await owner.query('SELECT FROM users')).rowCount, 1)

  const answer = await browser.guarded('DELETE', '/api/auth/me', { password: PASSWORD })
  t.equal(answer.statusCode, 204)
  t.equal(browser.cookies.get('refresh_token'), undefined)
  t.equal((await other.refresh()).statusCode, 401)
  for (const table of ['users', 'refresh_tokens', 'one_time_tokens']) {
    t.equal((await owner.query(`SELECT FROM ${table}`)).rowCount, 0, table)
  }
  t.strictSame((await owner.query('SELECT what, user_id FROM auth_events')).rows, [
    { what: 'account_deleted', user_id: null },
  ])
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 401)
})

t.test('DELETE /api/auth/me: of two requests at once, one is recorded (204)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const client = await owner.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [user.id])
  const both = [1, 2].map(() =>
    browser.send('DELETE', '/api/auth/me', { password: PASSWORD }, { 'x-csrf-token': csrfToken }))
  await eventually(
    () => owner.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"),
    ({ rowCount }) => rowCount === 2
  )
  await client.query('COMMIT')
  client.release()
  t.strictSame((await Promise.all(both)).map(({ statusCode }) => statusCode), [204, 204])
  t.equal((await owner.query("SELECT FROM auth_events WHERE what = 'account_deleted'")).rowCount, 1)
})

t.test('DELETE /api/auth/me: a social-only account needs no password (204)', async t => {
  const { app, owner } = await buildShared(t)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  await owner.query("UPDATE users SET password_hash = NULL, provider = 'provider_a', provider_a_id = '1'")
  t.equal((await browser.guarded('DELETE', '/api/auth/me', {})).statusCode, 204)
})
