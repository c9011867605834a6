import t from 'tap'
import { build } from '../../support/build.ts'

t.test('sendAtOnce: a header that cannot be sent (500)', async t => {
  const { app, log } = await build(t, {
    before: app => app.register(async app => {
      app.get('/broken', (_request, reply) => reply.sendAtOnce(204, ['x-broken', 'a\nb']))
    }),
  })
  const answer = await app.inject('/broken')
  t.equal(answer.statusCode, 500)
  t.match(answer.headers, app.securityHeaders)
  t.match(log.errors, [{ msg: 'request failed', err: { code: 'ERR_INVALID_CHAR' } }])
})
