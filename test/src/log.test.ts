import t from 'tap'
import { build, secrets } from '../helper.ts'

t.test('one line a request, without its query', async t => {
  const { app, log } = await build(t)
  await app.inject('/health?code=s3cret-c0de&state=s3cret-state')
  secrets.add('s3cret-c0de').add('s3cret-state')
  const lines = log.lines.filter(line => line.msg === 'request')
  t.equal(lines.length, 1)
  t.match(lines[0], { method: 'GET', path: '/health', status: 200, ms: Number, ip: '127.0.0.1' })
})

t.test('a secret in any place of a request or an error stays out of the log', async t => {
  const SECRET = 'tell-no1-7f3a'
  secrets.add(SECRET)
  const { app, log } = await build(t, {
    before: app => {
      app.register(async app => {
        app.post('/careless', async request => {
          request.log.info({ headers: request.headers, body: request.body, password: SECRET, token: SECRET })
          throw Object.assign(new Error('insert failed'), { detail: `Failing row contains (${SECRET})`, config: { headers: { authorization: SECRET } } })
        })
      })
    },
  })
  const answer = await app.inject({
    method: 'POST',
    url: `/careless?token=${SECRET}`,
    headers: { cookie: `access_token=${SECRET}`, authorization: `Bearer ${SECRET}` },
    payload: { password: SECRET, current: SECRET, token: SECRET },
  })
  t.equal(answer.statusCode, 500)
  t.match(log.text, '[Redacted]')
  t.match(log.text, 'insert failed')
  t.notMatch(log.text, SECRET)
})
