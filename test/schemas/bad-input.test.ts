import type { InjectOptions } from 'fastify'
import t from 'tap'
import { ASSERTION_EXAMPLE } from '../../schemas/webauthn.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build } from '../support/build.ts'

// Every route with a body, every field, every kind of bad value: a clear refusal, and no row is written.

const GOOD: Record<string, unknown> = {
  username: 'newcomer',
  email: 'newcomer@example.com',
  password: 'gl4ss-Harmonica-7!',
  name: 'New',
  token: 'x'.repeat(43),
  current: PASSWORD,
  audience: 'orders',
  response: ASSERTION_EXAMPLE,
  code: '123456',
}

const BAD: Array<[what: string, value: unknown]> = [
  ['number', 1],
  ['boolean', true],
  ['null', null],
  ['array', ['x']],
  ['object', { $ne: '' }],
  ['empty', ''],
  ['NUL', 'a\u0000b'],
  ['lone surrogate', '\ud800'],
  ['control character', 'a\nb'],
  ['too long', 'x'.repeat(5_000)],
  ['1 MB', 'x'.repeat(1_000_000)],
]

const TABLES = ['users', 'refresh_tokens', 'one_time_tokens', 'content', "pgboss.job WHERE name = 'mail'"]

t.test('every route with a body: bad values (4xx), no row written', async t => {
  const routes: Array<{ method: InjectOptions['method'], url: string, fields: string[], required: string[] }> = []
  const { app, owner } = await build(t, {
    settings: { ...NO_LIMITS, MAIL_SIGN_IN: 'on' },
    before: app =>
      app.addHook('onRoute', ({ method, url, schema }) => {
        const body = schema?.body as { properties?: object, required?: string[] } | undefined
        // A body that is not JSON has no properties.
        if (body?.properties) {
          routes.push({
            method: method as InjectOptions['method'],
            url,
            fields: Object.keys(body.properties),
            required: body.required ?? [],
          })
        }
      }),
  })
  t.ok(routes.length >= 9, `${routes.length} routes take a body`)
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const count = async () =>
    (await Promise.all(TABLES.map(table => owner.query(`SELECT count(*)::int AS n FROM ${table}`)))).map(
      ({ rows }) => rows[0].n
    )
  const before = await count()
  let requests = 0

  for (const { method, url, fields, required } of routes) {
    const good = Object.fromEntries(fields.map(field => [field, GOOD[field]]))
    const send = async (what: string, payload: unknown, wanted: RegExp) => {
      requests++
      const answer = await app.inject({
        method,
        url,
        headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken },
        cookies: Object.fromEntries(browser.cookies),
        payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      })
      const { error, message } = answer.json()
      if (!wanted.test(String(answer.statusCode)) || !error || !message) {
        t.fail(`${method} ${url}, ${what}: ${answer.statusCode} ${answer.body}`)
      }
    }
    for (const payload of [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '1',
      '{"__proto__":{"x":1}}',
      '{"constructor":{"prototype":{}}}',
    ]) { await send(payload, payload, /^400$/) }
    await send('unknown field', { ...good, admin: true }, /^400$/)
    for (const field of required) await send(`without ${field}`, { ...good, [field]: undefined }, /^400$/)
    for (const field of fields) {
      for (const [what, value] of BAD) {
        // A password may hold any character, and a link's token is only looked up: these are refused later.
        const lenient =
          ['password', 'current', 'token'].includes(field) && typeof value === 'string' && value.length > 0
        // Here these are values: null removes the name.
        if (method === 'PATCH' && url === '/api/auth/me' && value === null) continue
        if (field === 'remember' && value === true) continue
        // A path that leads elsewhere is dropped later.
        if (field === 'next' && typeof value === 'string' && value.length < 2_048) continue
        if (url === '/api/auth/password/check' && typeof value === 'string' && value.length < 255) continue
        await send(
          `${field}: ${what}`,
          { ...good, [field]: value },
          what === '1 MB' ? /^413$/ : lenient ? /^(400|401|403|422)$/ : /^400$/
        )
      }
    }
  }
  t.comment(`${requests} requests`)
  t.strictSame(await count(), before, 'no row was written')
})

t.test('GET /api/auth/me: a bad access token before a good one (401)', async t => {
  const { app, owner } = await build(t, { settings: NO_LIMITS })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const good = `access_token=${browser.cookies.get('access_token')}`
  for (const cookie of ['access_token=x', 'access_token=', `access_token=${browser.cookies.get('refresh_token')}`]) {
    const answer = await app.inject({ url: '/api/auth/me', headers: { cookie: `${cookie}; ${good}` } })
    t.equal(answer.statusCode, 401)
  }
  t.equal(
    (await app.inject({ url: '/api/auth/me', headers: { cookie: `${good}; access_token=x` } })).statusCode,
    200,
    'the first cookie counts'
  )
})
