import t from 'tap'
import { build, secrets } from '../../support/build.ts'

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const SECRET = 'tell-no1-7f3a'
secrets.add(SECRET)
const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic
const { app, log } = await build(t, {
  before: app => {
    app.register(async app => {
      app.post('/careless', async request => {
        const deep = { a: { b: { secret: SECRET, c: { d: { e: SECRET } } } } }
        request.log.info({
          headers: request.headers,
          body: request.body,
          query: request.query,
          password: SECRET,
          token: SECRET,
          deep,
          around: cyclic,
        })
        throw Object.assign(new Error('insert failed'), {
          code: '23505',
          detail: `Failing row contains (${SECRET})`,
          config: { headers: { authorization: SECRET } },
        })
      })
    })
  },
})

t.test('one line for each request, without its query', async t => {
  await app.inject('/api/auth/me?code=s3cret-c0de&state=s3cret-state')
  secrets.add('s3cret-c0de').add('s3cret-state')
  const lines = log.lines.filter(line => line.msg === 'request')
  t.equal(lines.length, 1)
  t.match(lines[0], {
    level: 'info',
    time: ISO_8601,
    method: 'GET',
    path: '/api/auth/me',
    status: 401,
    ms: Number,
    ip: '127.0.0.1',
    reqId: String,
  })
})

t.test('production: levels are words, times are ISO 8601', async t => {
  const { app, log } = await build(t, {
    settings: {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      REDIS_URL: 'redis://127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
    },
  })
  for (const level of ['info', 'warn', 'error', 'fatal'] as const) app.log[level]('a line')
  const lines = log.lines.filter(line => line.msg === 'a line')
  t.strictSame(lines.map(({ level }) => level), ['info', 'warn', 'error', 'fatal'])
  for (const { time } of lines) t.match(time, ISO_8601)
  t.strictSame(log.errors.map(({ level }) => level), ['error', 'fatal'])
})

t.test('access and health checks are logged at `debug`, unless they fail', async t => {
  for (const [LOG_LEVEL, expected] of [
    ['info', ['/api/auth/verify 401']],
    ['debug', ['/health 200', '/health/live 200', '/api/auth/verify 401']],
  ] as const) {
    const { app, log } = await build(t, { settings: { LOG_LEVEL } })
    for (const url of ['/health', '/health/live', '/api/auth/verify']) await app.inject(url)
    t.strictSame(
      log.lines.filter(line => line.msg === 'request').map(({ path, status }) => `${path} ${status}`),
      expected
    )
  }
})

t.test('secrets in any part of a request or an error are not logged', async t => {
  const answer = await app.inject({
    method: 'POST',
    url: `/careless?token=${SECRET}&code=${SECRET}`,
    headers: { cookie: `access_token=${SECRET}`, authorization: `Bearer ${SECRET}` },
    payload: { password: SECRET, current: SECRET, token: SECRET },
  })
  t.equal(answer.statusCode, 500)
  t.match(log.text, '[Redacted]')
  t.match(
    log.lines.find(line => line.err),
    { err: { message: 'insert failed', code: '23505' } }
  )
  t.notMatch(log.text, SECRET)
})
